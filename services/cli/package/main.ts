/** `inlet` in the npm package: without `inlet admin`, which needs the packages of the servers. */
import { VERSION } from '../../core/version.ts';
import { runInProcess } from '../run.ts';

await runInProcess(process, { version: VERSION });
