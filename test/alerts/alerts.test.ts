/**
 * Every alert fires when it should and only then (promtool), has a runbook, and uses metrics that
 * exist.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

import * as replies from '../../services/core/smtp/smtp-reply.ts';
import { DASHBOARDS } from '../../services/generate/grafana/dashboards.ts';
import { runbookPages } from '../support/runbook.ts';
import { findPrometheus } from '../support/prometheus.ts';
import { testDir } from '../support/servers.ts';
import { CASES, MINUTES, type Series } from './cases.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'charts/inlet/files/alerts');
const FILES = (await readdir(FOLDER)).map((file) => join(FOLDER, file));
const run = promisify(execFile);

type Recording = { record: string; expr: string };
type Rule = {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string; cause?: string };
  annotations: {
    summary: string;
    description: string;
    impact: string;
    runbook_url: string;
    dashboard_url: string;
  };
};
const all = (await Promise.all(FILES.map((file) => readFile(file, 'utf8')))).flatMap((text) =>
  (parse(text) as { groups: { rules: (Rule | Recording)[] }[] }).groups.flatMap(
    (group) => group.rules,
  ),
);
const rules = all.filter((rule) => 'alert' in rule);
const recordings = all.filter((rule) => 'record' in rule);
/** Its alert and, if there are several, its cause. */
const nameOf = ({ alert, labels: { cause } }: Rule) =>
  cause === undefined ? alert : `${alert} ${cause}`;
const tools = await findPrometheus();

const DASHBOARD_URL = new RegExp(
  `^http://127\\.0\\.0\\.1:3000/d/(${Object.values(DASHBOARDS)
    .map(({ uid }) => uid)
    .join('|')})\\?var-namespace=\\{\\{ \\$labels\\.namespace \\}\\}$`,
);

test('every rule has a case in which it fires and one in which it does not', () => {
  expect(Object.keys(CASES).toSorted()).toEqual(rules.map(nameOf).toSorted());
});

test('every volume that the chart claims has an alert, whose page asks for it', async () => {
  const path = join(ROOT, 'test/fixtures/chart/small.golden.yaml');
  type Claim = { metadata: { name: string } };
  type StatefulSet = Claim & { kind: string; spec: { volumeClaimTemplates?: Claim[] } };
  const claims = parseAllDocuments(await readFile(path, 'utf8'))
    .map((document) => document.toJS() as StatefulSet | null)
    .flatMap((found) =>
      found?.kind === 'StatefulSet'
        ? (found.spec.volumeClaimTemplates ?? []).map(
            ({ metadata }) => `${metadata.name}-${found.metadata.name}-0`,
          )
        : [],
    );
  expect(claims.length).toBeGreaterThan(1);
  const pages = await runbookPages();
  const claimIn = /persistentvolumeclaim=~"([^"]+)"/;
  const matches = (text: string, claim: string) =>
    new RegExp(`^${claimIn.exec(text)?.[1] ?? '$.'}$`).test(claim);
  for (const claim of claims) {
    const found = rules.filter(({ expr }) => matches(expr, claim));
    expect([claim, found.length > 0]).toEqual([claim, true]);
    for (const { alert } of found)
      expect([alert, matches(pages.get(alert) ?? '', claim)]).toEqual([alert, true]);
  }
});

test('every metric is limited to a namespace, which the chart sets to that of the release', () => {
  const unlimited = all.flatMap(
    ({ expr }) =>
      expr
        .replaceAll(/\b(by|on) \([^)]*\)/g, '')
        .replaceAll(/[\w:]+\{namespace=~"\.\*"[^}]*\}/g, '')
        .match(/\b(?!(?:and|or|unless|offset)\b)[a-z_][\w:]*\b(?!\s*\()/g)
        ?.map((metric) => `${metric} in ${expr}`) ?? [],
  );
  expect(unlimited).toEqual([]);
});

test('every alert has a severity, a meaning, a runbook and a dashboard', () => {
  for (const { alert, labels, annotations } of rules) {
    expect([alert, labels.severity]).toEqual([
      alert,
      expect.stringMatching(/^(critical|warning|info)$/),
    ]);
    expect(annotations).toEqual({
      summary: expect.stringMatching(/\S/) as string,
      description: expect.stringMatching(/\.$/) as string,
      impact: expect.stringMatching(/\.$/) as string,
      runbook_url: `http://127.0.0.1:8080/docs/runbooks/${alert}`,
      dashboard_url: expect.stringMatching(DASHBOARD_URL) as string,
    });
  }
});

test('every alert has a runbook page, and every page an alert', async () => {
  const pages = await runbookPages();
  expect([...pages.keys()].toSorted()).toEqual(
    [...new Set(rules.map(({ alert }) => alert))].toSorted(),
  );
  for (const [name, page] of pages) expect(page).toMatch(new RegExp(`^# ${name}\\n`));
});

test('the gateway sends the replies that alerts and dashboards name', async () => {
  const given = new Set<string>(
    Object.values(replies).flatMap((reply) => (typeof reply === 'object' ? [reply.name] : [])),
  );
  const dashboards = Object.values(DASHBOARDS).flatMap(({ rows }) =>
    Object.values(rows)
      .flat()
      .flatMap(({ queries }) => queries.map(([expr]) => expr)),
  );
  const named = [...rules.map(({ expr }) => expr), ...dashboards].flatMap((expr) =>
    [...expr.matchAll(/reply=~?"([^"]+)"/g)].flatMap(([, labels]) => labels?.split('|') ?? []),
  );
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((name) => !given.has(name))).toEqual([]);
});

describe.skipIf(tools === undefined)('promtool', () => {
  test('promtool accepts the rules', async () => {
    for (const file of FILES) {
      const { stdout } = await run(tools?.promtool ?? '', ['check', 'rules', '--lint-fatal', file]);
      expect(stdout).toMatch(/SUCCESS: \d+ rules found/);
    }
  });

  test.each(rules.map((rule) => [nameOf(rule), rule] as const))(
    '%s fires when it should, for its own of two releases, and only then',
    async (_, rule) => {
      expect(await faults(rule)).toBe('');
    },
  );
});

/** Adds the label that Prometheus adds in a cluster. */
const inNamespace = (series: Series, namespace: string): Series =>
  Object.fromEntries(
    Object.entries(series).map(([name, values]) => {
      if (name.includes('namespace=')) return [name, values];
      const bare = name.includes('{') ? name.replace(/\}$/, ',') : `${name}{`;
      return [`${bare}namespace="${namespace}"}`, values];
    }),
  );

/** A rule as the chart renders it for the release in this namespace. `release` tells whose alert fires. */
const renderedFor = (namespace: string, rule: Rule | Recording): object => ({
  ...rule,
  expr: rule.expr.replaceAll('namespace=~".*"', `namespace="${namespace}"`),
  ...('labels' in rule && { labels: { ...rule.labels, release: namespace } }),
});

/** What promtool reports about the cases of an alert at their ends. Empty without a fault. */
async function faults(rule: Rule): Promise<string> {
  const {
    fires = {},
    alsoFires = fires,
    staysCalm = {},
    minutes = MINUTES,
  } = CASES[nameOf(rule)] ?? {};
  await using dir = await testDir();
  const firing = `ALERTS{alertname="${rule.alert}",alertstate="firing"}`;
  const over = (series: Series, expr: string, exp_samples: object[]) => ({
    interval: '1m',
    promql_expr_test: [{ expr, eval_time: `${minutes}m`, exp_samples }],
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
  });
  const provoked = [...new Set([fires, alsoFires])].map((series) =>
    over(
      { ...inNamespace(staysCalm, 'other'), ...inNamespace(series, 'mail') },
      `count by (namespace, release) (${firing}) > bool 0`,
      [{ labels: '{namespace="mail", release="mail"}', value: 1 }],
    ),
  );
  // Only this rule: evaluating all of them takes much longer.
  const needed = [...recordings.filter(({ record }) => rule.expr.includes(record)), rule];
  const ofBoth = ['mail', 'other'].map((release) => needed.map((one) => renderedFor(release, one)));
  const files = await Promise.all([
    promtoolTest(dir.path, 'provoked', ofBoth, provoked),
    promtoolTest(dir.path, 'calm', [needed], [over(inNamespace(staysCalm, 'mail'), firing, [])]),
  ]);
  const said = await run(tools?.promtool ?? '', ['test', 'rules', ...files]).catch(
    (error: unknown) => error as { stdout: string; stderr: string },
  );
  return `${said.stdout}${said.stderr}`.replaceAll(/^Unit Testing: .*$|^ {2}SUCCESS$/gm, '').trim();
}

/** Writes a file of tests over groups of rules. @returns its path */
async function promtoolTest(
  dir: string,
  name: string,
  groups: object[][],
  tests: object[],
): Promise<string> {
  const [ruleFile, file] = [join(dir, `${name}.yaml`), join(dir, `${name}.test.yaml`)];
  const named = groups.map((rulesOfGroup, i) => ({ name: String(i), rules: rulesOfGroup }));
  await writeFile(ruleFile, JSON.stringify({ groups: named }));
  await writeFile(
    file,
    JSON.stringify({ rule_files: [ruleFile], evaluation_interval: '1m', tests }),
  );
  return file;
}
