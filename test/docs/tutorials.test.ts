/**
 * The tutorials of docs/tutorials: the commands and files of a page, in the order of the page, in one
 * shell beside a fresh copy of the checkout. Only the port of the program is another one.
 */
import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import { freePort } from '../../services/standalone/processes/ports.ts';
import { testDir } from '../support/servers.ts';
import { startWholeSystem } from '../support/start-standalone.ts';
import { CHECKOUT, codeBlocks, readPage } from './pages.ts';

const run = promisify(execFile);
/** What the commands of a page install from. */
const SOURCES = ['docs/clients', 'services', 'LICENSE', 'package*.json', 'tsconfig.json'];
const SCRIPT_TIMEOUT_MS = 540_000;

/** A reader looks before the next command: the script waits for what the reader would see. */
const WAIT = `
wait_for() {
  for i in $(seq 600); do if eval "$1" > /dev/null 2>&1; then return; fi; sleep 0.2; done
  echo "waited for $1" >&2; exit 1
}
trap 'kill $(jobs -p) 2> /dev/null || true' EXIT
`;

/** Reply addresses are new in each run. */
const masked = (text: string): string => text.replaceAll(/Reply-To: \S+/g, 'Reply-To: …');

test('a support inbox', { timeout: 600_000 }, async () => {
  const port = await freePort();
  const shows = (text: string) =>
    `wait_for "curl -s http://localhost:${port}/ | grep -q '${text}'"`;
  const waits = [
    { after: 'node inbox.ts &', until: `wait_for "curl -sf http://localhost:${port}/"` },
    { after: '"Broken lamp" --text', until: shows('It does not switch on') },
    { after: 'Your question"', until: shows('The red one') },
    { after: 'new address."', until: shows('Send it to my new address') },
    { after: '--since 1h', until: shows('Where is my parcel') },
  ];
  const blocks = codeBlocks(await readPage('docs/tutorials/support-inbox.md'));
  const commands = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => [
      code.replaceAll('localhost:3000', `localhost:${port}`),
      ...waits.filter(({ after }) => code.includes(after)).map(({ until }) => until),
    ]);
  await using system = await startWholeSystem({ MAIL_AUTH: 'true' });
  await using dir = await testDir();
  await mkdir(join(dir.path, 'inlet'));
  await mkdir(join(dir.path, 'support-inbox'));
  const files = `git -C '${CHECKOUT}' ls-files -z ${SOURCES.join(' ')}`;
  const copy = `${files} | tar -C '${CHECKOUT}' --null -T - -c | tar -x -C inlet`;
  await run('bash', ['-euc', copy], { cwd: dir.path });
  await symlink(system.standalone.dataDir, join(dir.path, 'inlet', '.inlet'));
  const program = blocks.find(({ language }) => language === 'ts')?.code ?? '';
  await writeFile(join(dir.path, 'support-inbox', 'inbox.ts'), program);
  const script = [WAIT, ...commands].join('\n').replace(/^mkdir (?=support)/m, 'mkdir -p ');
  await writeFile(join(dir.path, 'tutorial.sh'), script);
  const { stdout } = await run('bash', ['-eu', 'tutorial.sh'], {
    cwd: dir.path,
    timeout: SCRIPT_TIMEOUT_MS,
    env: {
      ...process.env,
      PORT: String(port),
      npm_config_prefix: join(dir.path, 'global'),
      PATH: `${join(dir.path, 'global', 'bin')}:${process.env.PATH}`,
    },
  });
  // what the page shows
  const shown = blocks.filter(
    ({ language, code }) => language === 'text' && code.startsWith('ticket'),
  );
  expect(shown).toHaveLength(2);
  for (const { code } of shown) expect(masked(stdout)).toContain(masked(code));
  expect(stdout).not.toContain('Which lamp is it?'); // the quotation is left out
  const last = stdout.slice(stdout.lastIndexOf('ticket 1:'));
  expect(last).toContain('ticket 2: Where is my parcel?');
  expect(last.match(/The red one\./g)).toHaveLength(1);
});
