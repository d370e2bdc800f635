/** The types of the command's API calls are those of the OpenAPI document. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import { installFromNpm, TYPESCRIPT_CLIENT } from '../contract/tools.ts';

const run = promisify(execFile);
const DOCUMENT = join(import.meta.dirname, '../api/documentation/openapi.golden.json');

test(
  'openapi-typescript generates the types of services/cli; npm run golden updates them',
  { timeout: 300_000 },
  async ({ skip }) => {
    const tools = (await installFromNpm('typescript-client', TYPESCRIPT_CLIENT)) ?? skip();
    const folder = await mkdtemp(join(tools, 'cli-'));
    try {
      const output = join(folder, 'openapi.ts');
      const generator = join(tools, 'node_modules', 'openapi-typescript', 'bin', 'cli.js');
      await run(process.execPath, [generator, DOCUMENT, '--output', output]);
      await expect(await readFile(output, 'utf8')).toMatchFileSnapshot(
        '../../services/cli/api/openapi.golden.ts',
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
