/**
 * A program: `node official-mongod.ts <version> <folder>` downloads and verifies MongoDB's own
 * mongod, and prints its path.
 */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';

import { MongoBinary } from 'mongodb-memory-server-core/lib/util/MongoBinary.js';

import { chooseSocketDefaults } from '../../adapters/dns/sockets.ts';

chooseSocketDefaults();
const [version = '', downloadDir = ''] = process.argv.slice(2);
try {
  const path = await MongoBinary.getPath({ version, downloadDir, checkMD5: true });
  const own = join(downloadDir, 'mongod');
  await copyFile(path, own); // the library may return one from the user's cache, which must stay there
  process.stdout.write(`\n${own}\n`);
} catch (error) {
  process.stderr.write(
    `${error instanceof Error ? error.message.replaceAll(/\s+/g, ' ') : String(error)}\n`,
  );
  process.exitCode = 1;
}
