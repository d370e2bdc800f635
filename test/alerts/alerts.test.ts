/** Every alert fires when it should and not otherwise, by promtool; has a runbook; and speaks of metrics that exist. */
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import * as replies from '../../services/core/smtp-reply.ts';
import { DASHBOARDS } from '../dashboards/dashboards.ts';
import { runbookText } from '../support/runbook.ts';
import { findPrometheus } from '../support/prometheus.ts';
import { testDir } from '../support/servers.ts';
import { type Case, CASES, MINUTES } from './cases.ts';

const ROOT = join(import.meta.dirname, '../..');
const RULES = join(ROOT, 'charts/inlet/files/alerts/inlet.yaml');
const run = promisify(execFile);

type Rule = { alert: string; expr: string; for?: string; labels: { severity: string }; annotations: { summary: string; description: string; runbook_url: string } };
const { groups } = parse(await readFile(RULES, 'utf8')) as { groups: { name: string; rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const names = rules.map(({ alert }) => alert);
const tools = await findPrometheus();

test('every alert has a case in which it fires and one in which it does not', () => {
  expect(Object.keys(CASES).toSorted()).toEqual(names.toSorted());
});

test('every alert says how bad it is, what it means and where its runbook is', () => {
  for (const { alert, labels, annotations } of rules) {
    expect([alert, labels.severity]).toEqual([alert, expect.stringMatching(/^(critical|warning|info)$/)]);
    expect(annotations).toEqual({ summary: expect.stringMatching(/\S/) as string, description: expect.stringMatching(/\.$/) as string, runbook_url: `README.md#${alert.toLowerCase()}` });
  }
});

test('every alert has a section in the runbook, and no section is left of one that went', async () => {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  expect([...readme.matchAll(/^#### (Inlet\w+)$/gm)].map(([, heading]) => String(heading)).toSorted()).toEqual(names.toSorted());
});

test('log lines that the runbook has people look for are written', async () => {
  const files = (await readdir(join(ROOT, 'services'), { recursive: true })).filter((path) => path.endsWith('.ts'));
  const source = (await Promise.all(files.map((path) => readFile(join(ROOT, 'services', path), 'utf8')))).join('\n');
  const written = new Set([...source.matchAll(/\blog\w*\??\.(?:debug|info|warn|error)\('([\w.]+)'/g)].map(([, name]) => name));
  const runbook = (await runbookText()).replaceAll('api\\.(failed|unavailable)', '`api.failed` `api.unavailable`');
  const named = [...runbook.matchAll(/(?:grep |log (?:line|lines|says)(?: \w+)? `|`)([a-z]+\.[a-z_]+)(?=[` ])/g)].map(([, name = '']) => name).filter((name) => !['gateway.crashed', 'tls.crt', 'tls.key'].includes(name));
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((name) => !written.has(name))).toEqual([]);
});

test('replies that alerts and dashboards name are replies that the gateway gives', async () => {
  const given = new Set<string>(Object.values(replies).flatMap((reply) => (typeof reply === 'object' ? [reply.name] : [])));
  const dashboards = Object.values(DASHBOARDS).flatMap(({ rows }) => Object.values(rows).flat().flatMap(({ queries }) => queries.map(([expr]) => expr)));
  const named = [...rules.map(({ expr }) => expr), ...dashboards].flatMap((expr) => [...expr.matchAll(/reply=~?"([^"]+)"/g)].flatMap(([, names]) => names?.split('|') ?? []));
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((name) => !given.has(name))).toEqual([]);
});

describe.skipIf(tools === undefined)('promtool', () => {
  test('finds no fault in the rules', async () => {
    const { stdout } = await run(tools?.promtool ?? '', ['check', 'rules', '--lint-fatal', RULES]);
    expect(stdout).toContain(`SUCCESS: ${rules.length} rules found`);
  });

  test.each(names)('%s fires when it should', async (alert) => {
    expect(await verdict(alert, CASES[alert], 'fires')).toBe('firing');
  });
  test.each(names)('%s stays calm otherwise', async (alert) => {
    expect(await verdict(alert, CASES[alert], 'staysCalm')).toBe('calm');
  });
});

/** What becomes of an alert at the end of these series. */
async function verdict(alert: string, tried: Case | undefined, which: 'fires' | 'staysCalm'): Promise<'firing' | 'calm'> {
  await using dir = await testDir();
  const file = join(dir.path, 'rules.test.yaml');
  const expectation = { expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`, eval_time: `${tried?.minutes ?? MINUTES}m`, exp_samples: [] };
  const input_series = Object.entries(tried?.[which] ?? {}).map(([name, values]) => ({ series: name, values }));
  const unitTest = { rule_files: [RULES], evaluation_interval: '1m', tests: [{ name: alert, interval: '1m', input_series, promql_expr_test: [expectation] }] };
  await writeFile(file, JSON.stringify(unitTest));
  try {
    await run(tools?.promtool ?? '', ['test', 'rules', file]);
    return 'calm';
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    if (/got: \{\} [1-9]/.test(stdout + stderr)) return 'firing';
    throw new Error(`promtool cannot judge ${alert}: ${stdout}${stderr}`, { cause: error });
  }
}
