/** Run by itself: `node official-mongod.ts <version> <folder>` downloads the vendor's mongod for this machine, checked, and prints its path. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';

import { MongoBinary } from 'mongodb-memory-server-core/lib/util/MongoBinary.js';

const [version = '', downloadDir = ''] = process.argv.slice(2);
try {
  const path = await MongoBinary.getPath({ version, downloadDir, checkMD5: true });
  const own = join(downloadDir, 'mongod');
  await copyFile(path, own); // the library may have found one in the user's own cache, which stays where it is
  process.stdout.write(`\n${own}\n`);
} catch (error) {
  process.stderr.write(
    `${error instanceof Error ? error.message.replaceAll(/\s+/g, ' ') : String(error)}\n`,
  );
  process.exitCode = 1;
}
