/** `inlet`, as the checkout and the image run it: with `inlet admin`. */
import { join } from 'node:path';

import { REVISION } from '../adapters/process/commit.ts';
import { VERSION } from '../core/version.ts';
import { administration } from './administration.ts';
import { runInlet } from './program.ts';
import { runInProcess } from './run.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..');

await runInProcess(process, (argv, terminal) =>
  runInlet(argv, { ...terminal, checkout: CHECKOUT, revision: REVISION }, VERSION, administration),
);
