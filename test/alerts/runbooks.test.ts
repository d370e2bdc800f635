/**
 * The runbook pages can be followed: commands, objects, log lines, settings, panels and links that
 * they name exist.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

import { ApiConfig } from '../../services/api/process/config.ts';
import { DispatcherConfig } from '../../services/dispatcher/process/config.ts';
import { GatewayConfig } from '../../services/gateway/process/config.ts';
import { OperatorConfig } from '../../services/operator/process/config.ts';
import { DASHBOARDS } from '../../services/generate/grafana/dashboards.ts';
import { codeBlocks, runbookPages, runbookQueries, runbookText } from '../support/runbook.ts';

const ROOT = join(import.meta.dirname, '../..');
const pages = [...(await runbookPages())];
const PROGRAMS = new Set(
  'kubectl helm nats nats_system curl dig nc openssl base64 grep head sort tail uniq'.split(' '),
);

test.each(pages)('%s says how to find the cause, and what to do', (_, page) => {
  expect([...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual([
    'Find the cause',
    'What to do',
  ]);
});

test.each(pages)('%s begins with a command that needs no pod', (_, page) => {
  expect(codeBlocks(page, 'sh')[0]).toMatch(/^kubectl -n inlet get /);
});

test('a shell can parse every command', async () => {
  const script = pages.flatMap(([, page]) => codeBlocks(page, 'sh')).join('\n');
  const { stderr } = await promisify(execFile)('bash', ['-n', '-c', script]);
  expect(stderr).toBe('');
});

test('every command is a program that the setup names', () => {
  const unknown = pages.flatMap(([alert, page]) =>
    codeBlocks(page, 'sh')
      .flatMap((block) => block.split('\n'))
      .flatMap((line) => line.replaceAll(/'[^']*'|"[^"]*"/g, '').split('|'))
      .map((command) => command.trim().split(' ')[0] ?? '')
      .filter((program) => !PROGRAMS.has(program))
      .map((program) => `${alert}: ${program}`),
  );
  expect(unknown).toEqual([]);
});

test('every object that a command names is one that the chart makes', async () => {
  const charts = ['production', 'everything'].map((profile) =>
    readFile(join(ROOT, `test/fixtures/chart/${profile}.golden.yaml`), 'utf8'),
  );
  const rendered = parseAllDocuments((await Promise.all(charts)).join('\n---\n')).map(
    (document) =>
      document.toJS() as { metadata: { name: string; labels?: Record<string, string> } } | null,
  );
  const components = new Set(
    rendered.map((object) => object?.metadata.labels?.['app.kubernetes.io/component']),
  );
  const names = new Set(rendered.map((object) => object?.metadata.name));
  names.add('inlet-gateway-tls').add('inlet-smtp-tls'); // made by cert-manager and by hand
  const commands = pages.flatMap(([, page]) => codeBlocks(page, 'sh')).join('\n');
  const named = [...commands.matchAll(/component=([\w-]+)/g)].map(([, component]) => component);
  expect(named.filter((component) => !components.has(component))).toEqual([]);
  const objects = [...commands.matchAll(/(?<![/.])\b(inlet-[a-z-]+[a-z])\b/g)].map(([, n]) => n);
  expect(objects.length).toBeGreaterThan(5);
  expect(objects.filter((name) => !names.has(name ?? ''))).toEqual([]);
});

test('every setting that a page names exists', () => {
  const settings = new Set(
    [GatewayConfig, DispatcherConfig, ApiConfig, OperatorConfig].flatMap(({ shape }) =>
      Object.keys(shape),
    ),
  );
  const STREAMS = ['FAILED', 'DEAD', 'OBJ_RAW', 'OBJ_BODIES', 'MAIL', 'RETRY'];
  const PLACEHOLDERS = ['POD', 'PART'];
  const others = new Set([...STREAMS, ...PLACEHOLDERS]);
  const unknown = pages.flatMap(([alert, page]) =>
    [...page.matchAll(/`([A-Z][A-Z0-9_]{2,})`/g)]
      .map(([, name = '']) => name)
      .filter((name) => !settings.has(name) && !others.has(name))
      .map((name) => `${alert}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

test('every panel that a page names is on a dashboard', () => {
  const panels = new Set(
    Object.values(DASHBOARDS).flatMap(({ rows }) =>
      Object.values(rows)
        .flat()
        .map(({ title }) => title),
    ),
  );
  const named = pages.flatMap(([, page]) =>
    [...page.matchAll(/panel "([^"]+)"/g)].map(([, title = '']) => title),
  );
  expect(named.filter((title) => !panels.has(title))).toEqual([]);
});

test('every job that can fail is explained', async () => {
  const page = new Map(pages).get('InletSweepFailing') ?? '';
  const explained = [...page.matchAll(/^- `(\w+)`: /gm)].map(([, name = '']) => name);
  const { stdout } = await promisify(execFile)('grep', [
    '-rhoE',
    String.raw`startSweep\('\w+'`,
    join(ROOT, 'services'),
  ]);
  const started = [...stdout.matchAll(/'(\w+)'/g)].map(([, name = '']) => name);
  expect(explained.toSorted()).toEqual(started.toSorted());
});

test('links to other pages lead somewhere', async () => {
  const broken: string[] = [];
  for (const [alert, page] of pages)
    for (const [, link = ''] of page.matchAll(/\]\(([^)]+)\)/g)) {
      const [path = '', anchor] = link.split('#');
      const file = join(ROOT, 'docs/runbooks', path);
      const text = existsSync(file) ? await readFile(file, 'utf8') : undefined;
      const anchors = [...(text ?? '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\w\- ]/g, '')
          .replaceAll(' ', '-'),
      );
      if (text === undefined || (anchor !== undefined && !anchors.includes(anchor)))
        broken.push(`${alert}: ${link}`);
    }
  expect(broken).toEqual([]);
});

test('the pages hold queries, which observability.test.ts sends to a real Prometheus', async () => {
  expect((await runbookQueries()).length).toBeGreaterThan(20);
});

test('services write the log lines that the runbooks name', async () => {
  const files = (await readdir(join(ROOT, 'services'), { recursive: true })).filter((path) =>
    path.endsWith('.ts'),
  );
  const source = (
    await Promise.all(files.map((path) => readFile(join(ROOT, 'services', path), 'utf8')))
  ).join('\n');
  const calls =
    /\b(?:log\w*\??\.(?:debug|info|warn|error)\(|interruptions\??\.report\('\w+', )'([\w.]+)'/g;
  const written = new Set([...source.matchAll(calls)].map(([, name]) => name));
  const runbook = (await runbookText()).replaceAll(
    "-E 'api\\.(failed|unavailable)'",
    'api.failed | grep api.unavailable',
  );
  const named = [...runbook.matchAll(/(?:grep |log line `)([a-z]+\.[a-z_]+)/g)]
    .map(([, name = '']) => name)
    .filter((name) => !name.endsWith('.crashed')); // of every service, written by runService
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((name) => !written.has(name))).toEqual([]);
});
