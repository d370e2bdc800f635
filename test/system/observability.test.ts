/**
 * What an SRE sees of a whole system: a real Prometheus scrapes the real services while mail is delivered, retried, refused and given up. Every
 * query of the dashboards answers, every metric that an alert speaks of is there, and what is exposed is what the README lists.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { DASHBOARDS } from '../dashboards/dashboards.ts';
import { startTestDns } from '../support/dns-server.ts';
import { metricsOf, SERVICES } from '../support/metric-names.ts';
import { findPrometheus, type RunningPrometheus, startPrometheus } from '../support/prometheus.ts';
import { runbookQueries } from '../support/runbook.ts';
import { testDir } from '../support/servers.ts';
import { play } from '../support/smtp-play.ts';
import { until } from '../support/until.ts';
import { startWholeSystem } from '../support/whole-system.ts';

const CHART = join(import.meta.dirname, '../../charts/inlet');
const RULES = join(CHART, 'files/alerts/inlet.yaml');

/** Selectors and panels that a healthy system without an operator rightly has nothing for. */
const RIGHTLY_EMPTY: Record<string, string> = {
  inlet_operator_: 'no operator runs outside Kubernetes',
  'component="operator"': 'no operator runs outside Kubernetes',
  inlet_jetstream_storage_max_bytes: 'the JetStream account has no limit',
  inlet_blocklist_lookups_total: 'no blocklist is set',
  inlet_rspamd_seconds: 'no rspamd is set',
  'result="temperror"': 'the DNS answers',
  'status=~"5.."': 'the API did not fail',
};
const isRightlyEmpty = (expr: string) => Object.keys(RIGHTLY_EMPTY).some((part) => expr.includes(part));

const tools = await findPrometheus();
const parts = new AsyncDisposableStack();
let prometheus: RunningPrometheus;

describe.skipIf(tools === undefined)('a Prometheus that scrapes a whole system', () => {
  beforeAll(async () => {
    if (tools === undefined) return;
    const system = parts.use(await startWholeSystem({ MAIL_AUTH: 'true', DNS_SERVERS: parts.use(await startTestDns()).address, RETRY_SCHEDULE: '200ms,200ms', STREAM_MAX_BYTES: '100000000', FAILING_AFTER: '200ms' }));
    const dir = parts.use(await testDir());
    const { metrics_urls, smtp_port } = system.standalone.state();
    const jobs = Object.fromEntries(Object.entries(metrics_urls).map(([name, url]) => [name, [new URL(url).host]]));
    prometheus = parts.use(await startPrometheus(tools, { dir: dir.path, jobs, ruleFiles: [RULES] }));

    const [well, flaky, refusing] = [await system.address('/well'), await system.address('/flaky'), await system.address('/refusing')];
    system.receiver.answer('/flaky', (count) => (count % 3 === 0 ? 200 : 503));
    system.receiver.answer('/refusing', () => 404);
    for (let round = 0; round < 8; round++) {
      for (const { address } of [well, flaky, refusing]) await system.mailer.sendMail({ from: 'a@b.example', to: address, subject: `round ${round}`, text: 'observed' });
      await play(smtp_port, [['EHLO mx.example', '250'], ['MAIL FROM:<a@b.example>', '250'], [`RCPT TO:<nobody@${well.address.split('@')[1]}>`, '550'], ['QUIT', '221']]);
      await system.call('GET', '/addresses');
      await system.call('GET', '/addresses/none');
      await sleep(1_000); // rates need growth over several scrapes
    }
    await until('retries that were delivered', async () => Number((await prometheus.query('sum(inlet_deliveries_total{status="delivered"})'))[0]?.value[1]) >= 16);
  }, 120_000);
  afterAll(() => parts.disposeAsync());

  test.each(Object.values(DASHBOARDS).flatMap(({ title, rows }) => Object.values(rows).flat().map((panel) => [title, panel.title, panel.queries] as const)))('%s: %s', async (_, __, queries) => {
    for (const [expr] of queries) {
      const asked = expr.replaceAll('$namespace', '.*').replaceAll('$__rate_interval', '30s').replaceAll('$__range', '5m');
      const answer = (await prometheus.query(asked)).filter(({ value }) => Number.isFinite(Number(value[1])));
      expect([expr, answer.length > 0]).toEqual([expr, !isRightlyEmpty(expr)]);
    }
  });

  test('every series that an alert looks at is there', async () => {
    const { groups } = (await prometheus.get('rules')) as { groups: { rules: { name: string; query: string; health: string; lastError?: string }[] }[] };
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    const selectors = new Set(rules.flatMap(({ query }) => query.match(/\b(?:inlet|nodejs|process)_\w+(?:\{[^}]*\})?|\bup\b/g) ?? []));
    expect(selectors.size).toBeGreaterThan(30);
    const missing: string[] = [];
    for (const selector of selectors) {
      const found = (await prometheus.query(`count(last_over_time(${selector}[5m]))`)).length > 0;
      if (found === isRightlyEmpty(selector)) missing.push(selector);
    }
    expect(missing).toEqual([]);
  });

  test('every query of the runbook is answered', async () => {
    const queries = (await runbookQueries()).map((expr) => expr.replaceAll(/\[\d+[mh]\]/g, '[30s]'));
    expect(queries.length).toBeGreaterThan(15);
    const wrong: string[] = [];
    for (const expr of queries) if ((await prometheus.query(expr)).length > 0 === isRightlyEmpty(expr)) wrong.push(expr);
    expect(wrong).toEqual([]);
  });

  test('the query that dispatchers are scaled by gives one number', async () => {
    const values = parse(await readFile(join(CHART, 'values.yaml'), 'utf8')) as { dispatcher: { autoscaling: { query: string } } };
    const query = values.dispatcher.autoscaling.query.replace('namespace="{{ .Release.Namespace }}"', ''); // only Kubernetes knows namespaces
    expect(await prometheus.query(query)).toEqual([{ metric: {}, value: [expect.any(Number), expect.stringMatching(/^\d+$/)] }]);
  });

  test('nothing critical fires while all is well', async () => {
    const { alerts } = (await prometheus.get('alerts')) as { alerts: { labels: Record<string, string>; state: string }[] };
    expect(alerts.filter(({ labels }) => labels.severity === 'critical').map(({ labels }) => labels.alertname)).toEqual([]);
  });

  test('what is exposed is what the README lists', async () => {
    const names = ((await prometheus.get('label/__name__/values')) as string[]).filter((name) => name.startsWith('inlet_'));
    const listed = new Set(SERVICES.flatMap(metricsOf).flatMap(({ name, type }) => (type === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => `${name}${part}`) : [name])));
    expect(names.filter((name) => !listed.has(name))).toEqual([]);
  });

  test('no label holds an address, a mail or a receiver', async () => {
    const series = (await prometheus.get('series?match[]={__name__=~"inlet_.*"}')) as Record<string, string>[];
    expect(series.filter((labels) => /@|https?:|evt_|addr_/.test(JSON.stringify(labels)))).toEqual([]);
  });
});
