/** `inlet`, as the checkout and the image run it: with `inlet admin`. */
import { join } from 'node:path';

import { VERSION } from '../core/version.ts';
import { addAdminCommand } from './admin/commands.ts';
import { runInProcess } from './run.ts';

await runInProcess(process, {
  version: VERSION,
  checkout: join(import.meta.dirname, '..', '..'),
  addAdmin: addAdminCommand,
});
