/** The receivers in the README work as they stand: copied out, fed real webhooks. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

import { newSecret, signingKeys, svcSignature } from '../services/core/delivery/signature.ts';

const run = promisify(execFile);
const secret = newSecret(Buffer.alloc(32, 7));
const body = Buffer.from('{"text":"ünï"}');
const old = new Date(Date.now() - 301_000);
const signed = (secrets: string[], now = new Date()) =>
  svcSignature({ body, keys: secrets.map(signingKeys), now });

const CASES: [name: string, header: string, isValid: boolean][] = [
  ['a valid signature', signed([secret]), true],
  [
    'two signatures while the secret is changed',
    signed([newSecret(Buffer.alloc(32, 8)), secret]),
    true,
  ],
  ['another secret', signed([newSecret(Buffer.alloc(32, 8))]), false],
  ['an old timestamp', signed([secret], old), false],
  [
    'a timestamp that was changed',
    signed([secret]).replace(/t=\d+/, (t) => `t=${Number(t.slice(2)) + 1}`),
    false,
  ],
  ['no timestamp', 'v1,s=00', false],
  ['an empty header', '', false],
];

async function codeBlock(language: string): Promise<string> {
  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
  return new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``).exec(readme)?.[1] ?? '';
}

test.each(CASES)('Node: %s', async (_, header, isValid) => {
  const module = (await import(
    `data:text/javascript,${encodeURIComponent(await codeBlock('js'))}`
  )) as { isFromInlet(...args: unknown[]): boolean };
  expect(module.isFromInlet(header, body, secret)).toBe(isValid);
});

test.each(CASES)('Python: %s', async (_, header, isValid) => {
  const script = `${await codeBlock('python')}\nimport sys\nprint(is_from_inlet(sys.argv[1], bytes.fromhex(sys.argv[2]), sys.argv[3]))`;
  const { stdout } = await run('python3', ['-c', script, header, body.toString('hex'), secret]);
  expect(stdout.trim()).toBe(isValid ? 'True' : 'False');
});
