/** `node services/dashboard/bundle/main.ts FOLDER` writes the bundled dashboard to that folder. */
import { resolve } from 'node:path';

import { bundleDashboard } from './bundle.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('usage: node services/dashboard/bundle/main.ts FOLDER\n');
  process.exit(2);
}
for (const { path, bytes, gzipBytes } of await bundleDashboard(resolve(folder)))
  process.stdout.write(`${path}: ${bytes} bytes, ${gzipBytes} with gzip\n`);
