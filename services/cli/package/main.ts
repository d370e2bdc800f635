/** `inlet` in the npm package: without `inlet admin`, which needs the packages of the servers. */
import { VERSION } from '../../core/version.ts';
import { runInlet } from '../program.ts';
import { runInProcess } from '../run.ts';

await runInProcess(process, (argv, terminal) => runInlet(argv, terminal, VERSION));
