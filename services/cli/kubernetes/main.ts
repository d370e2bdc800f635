/** `kubectl-inlet`, which kubectl runs for `kubectl inlet` when it is on the PATH. */
import { VERSION } from '../../core/version.ts';
import { runInProcess } from '../run.ts';
import { runPlugin } from './program.ts';

await runInProcess(process, (argv, terminal) => runPlugin(argv, terminal, VERSION));
