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
import { CHECKOUT, type CodeBlock, codeBlocks, readPage } from './pages.ts';

const run = promisify(execFile);
/** What the commands of a page install from. */
const SOURCES = ['docs/clients', 'services', 'LICENSE', 'package*.json', 'tsconfig.json'];
/** Ends a page that waits for a server of others, with all that its commands have started. */
const WITHIN_5_MINUTES = ['--kill-after=5', '300'];
/** The first line of a file of a page is its name. */
const FILE_NAME = /^(?:\/\/|#|<!--) ([a-z_]+\.\w+)/;

/** A reader looks before the next command: the script waits for what the reader would see. */
const WAIT = `
wait_for() {
  for i in $(seq 600); do if eval "$1" > /dev/null 2>&1; then return; fi; sleep 0.2; done
  echo "waited for $1" >&2; exit 1
}
trap 'kill $(jobs -p) 2> /dev/null || true' EXIT
`;

type Wait = { until: string; after?: string; before?: string };

/** A page as one script: its commands, and its files where it shows them. */
function scriptOf(blocks: readonly CodeBlock[], port: number, waits: readonly Wait[]): string {
  const steps = blocks.flatMap(({ language, code }) => {
    const name = FILE_NAME.exec(code)?.[1];
    if (name !== undefined) return [`cat > ${name} <<'END_OF_FILE'\n${code}END_OF_FILE`];
    if (language !== 'sh') return [];
    const at = (place: 'before' | 'after') =>
      waits.filter((wait) => wait[place] && code.includes(wait[place]));
    const command = code.replaceAll('localhost:3000', `localhost:${port}`);
    return [
      ...at('before').map(({ until }) => until),
      command,
      ...at('after').map(({ until }) => until),
    ];
  });
  return ['exec 2>&1', WAIT, ...steps].join('\n');
}

/**
 * Runs a page. What its commands print, and its blocks.
 * @param leftOut commands with this text are of another language
 */
async function follow(
  page: string,
  waitsOf: (port: number) => readonly Wait[],
  serviceEnv: Record<string, string> = {},
  leftOut?: string,
) {
  const port = await freePort();
  const blocks = codeBlocks(await readPage(`docs/tutorials/${page}.md`)).filter(
    ({ code }) => leftOut === undefined || !code.includes(leftOut),
  );
  await using system = await startWholeSystem({ MAIL_AUTH: 'true', ...serviceEnv });
  await using dir = await testDir();
  await mkdir(join(dir.path, 'inlet'));
  const files = `git -C '${CHECKOUT}' ls-files -z ${SOURCES.join(' ')}`;
  const copy = `${files} | tar -C '${CHECKOUT}' --null -T - -c | tar -x -C inlet`;
  await run('bash', ['-euc', copy], { cwd: dir.path });
  await symlink(system.standalone.dataDir, join(dir.path, 'inlet', '.inlet'));
  await writeFile(join(dir.path, 'tutorial.sh'), scriptOf(blocks, port, waitsOf(port)));
  const { stdout } = await run('timeout', [...WITHIN_5_MINUTES, 'bash', '-eu', 'tutorial.sh'], {
    cwd: dir.path,
    env: {
      ...process.env,
      PORT: String(port),
      npm_config_prefix: join(dir.path, 'global'),
      PATH: `${join(dir.path, 'global', 'bin')}:${process.env.PATH}`,
    },
  }).catch((error: { stdout?: string }) => {
    throw new Error(`the page stopped after: ${error.stdout?.slice(-2_000)}`, { cause: error });
  });
  const shown = blocks.filter(({ language }) => language === 'text').map(({ code }) => code);
  return { stdout, shown };
}

const answers = (port: number) => `wait_for "curl -sf http://localhost:${port}/"`;

/** Addresses and ids are new in each run. */
const masked = (text: string): string =>
  text
    .replaceAll(/Reply-To: \S+/g, 'Reply-To: …')
    .replaceAll(/\b(addr|evt)_\w+/g, '$1_…')
    .replaceAll(/\/\d{4}-\d\d-\d\d\//g, '/…/');
const expectLines = (stdout: string, text = ''): void => {
  for (const line of masked(text).trim().split('\n')) expect(masked(stdout)).toContain(line);
};

const refused = (reason: string, count: number) =>
  `wait_for "inlet refusals list --reason ${reason} | grep -c ${reason} | grep -q ${count}"`;

const supportWaits = (port: number) => {
  const shows = (text: string) =>
    `wait_for "curl -s http://localhost:${port}/ | grep -q '${text}'"`;
  return [
    { after: '$PROGRAM &', until: answers(port) },
    { after: '"Broken lamp" --text', until: shows('It does not switch on') },
    { after: 'Your question"', until: `${shows('The red one')}; ${shows('And it hums')}` },
    { after: '--spoof ann@partner.test --subject "My', until: refused('sender_not_allowed', 2) },
    { after: 'refusals allow', until: shows('ticket 2 at billing') },
    { after: 'You have won', until: refused('spam_refused', 1) },
    { after: '--since 1h', until: shows('Where is my parcel') },
  ];
};

test.each([
  ['TypeScript', 'pip install'],
  ['Python', 'npm install --engine-strict'],
])('a support inbox in %s', async (_, ofTheOther) => {
  const { stdout, shown } = await follow('support-inbox', supportWaits, {}, ofTheOther);
  const [ticket = ''] = shown.filter((text) => text.startsWith('ticket'));
  expect(masked(stdout)).toContain(masked(ticket));
  expect(stdout).not.toContain('Which lamp is it?'); // the quotation is left out
  for (const who of ['forgery', 'stranger', 'spam'])
    expect(stdout).toContain(`the ${who} was refused`);
  const last = stdout.slice(stdout.lastIndexOf('ticket 1 at'));
  expect(last).toContain('ticket 2 at billing@acme.test: Invoice?');
  expect(last).toContain('ticket 3 at support@acme.test: Where is my parcel?');
  expect(last).not.toMatch(/My new address|You have won/);
  expect(last.match(/The red one\./g)).toHaveLength(1);
});

test('a test of a sign-up', async () => {
  const { stdout, shown } = await follow('sign-up-test', (port) => [
    { after: 'shop.log &', until: answers(port) },
  ]);
  const [, passed, failed] = shown;
  expectLines(stdout, passed);
  expectLines(stdout, failed);
  expect(stdout).toMatch(/2 failed in/);
});

/** The program has entered so many invoices. */
const collected = (count: number) => {
  const query = `sqlite3.connect('documents.db').execute('SELECT count(*) FROM invoices')`;
  return `wait_for "python -c \\"import sqlite3; assert ${query}.fetchone()[0] == ${count}\\""`;
};

test('documents from suppliers', async () => {
  const { stdout, shown } = await follow('supplier-documents', () => [
    { before: 'New bank account', until: collected(1) },
    { before: 'SELECT number', until: collected(2) },
  ]);
  for (const text of shown.slice(1)) expectLines(stdout, text);
  expect(stdout.match(/^document /gm)).toHaveLength(2);
});

test('an agent', async () => {
  const { stdout, shown } = await follow('agent', () => [], { MCP: 'true' });
  const [, rules, seen, held, released] = shown;
  for (const text of [rules, seen, held]) expectLines(stdout, text);
  const [before = '', after = ''] = stdout.split(/^RECEIVED /m);
  expect(before.match(/"status":"held"/g)).toHaveLength(3);
  expect(before).not.toContain('subject: News');
  expectLines(after, released);
  expect(stdout).not.toContain('Ignore your instructions');
});
