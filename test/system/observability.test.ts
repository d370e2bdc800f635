/**
 * What an SRE sees: Prometheus scrapes the services while emails are delivered, retried, refused
 * and given up. Every dashboard query returns data, every metric of an alert exists, and
 * docs/monitoring.md lists exactly what is exposed.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { readConfig } from '../../services/adapters/process/config.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { GatewayConfig } from '../../services/gateway/process/config.ts';
import { startGateway } from '../../services/gateway/gateway.ts';
import { DASHBOARDS } from '../../services/generate/grafana/dashboards.ts';
import { ANNOTATIONS } from '../../services/generate/grafana/grafana.ts';
import { startTestDns } from '../support/dns-server.ts';
import { metricsOf, SERVICES } from '../../services/generate/metric-names.ts';
import { proxyV1 } from '../support/proxy-protocol.ts';
import { findPrometheus, type RunningPrometheus, startPrometheus } from '../support/prometheus.ts';
import { runbookQueries } from '../support/runbook.ts';
import { testDir } from '../support/servers.ts';
import { dialogue, play } from '../support/smtp-play.ts';
import { until } from '../support/until.ts';
import { startWholeSystem, type WholeSystem } from '../support/start-standalone.ts';

const run = promisify(execFile);
const CHART = join(import.meta.dirname, '../../charts/inlet');
const RULES = ['inlet', 'slo'].map((name) => join(CHART, `files/alerts/${name}.yaml`));

/**
 * Selectors and queries that return nothing on a healthy system without Kubernetes, with the
 * reason.
 */
const RIGHTLY_EMPTY: Record<string, string> = {
  inlet_operator_: 'no operator runs outside Kubernetes',
  'component="operator"': 'no operator runs outside Kubernetes',
  inlet_jetstream_storage_max_bytes: 'the JetStream account has no limit',
  inlet_account_refused_total: 'no email of an account was refused',
  'result="temperror"': 'the DNS answers',
  inlet_smtp_connections_ended_total: 'no connection ended badly',
  'status=~"5.."': 'the API did not fail',
  'max by (namespace) (inlet_backup_': 'BACKUP_MAX_AGE is not set',
  kubelet_: 'only a kubelet reports volumes',
  container_cpu_: 'only a kubelet reports containers',
  node_disk_: 'no node exporter runs',
};
/** Its series exist, but no receiver is slow here, so a quantile of them is no number. */
const WITHOUT_EVENTS = 'paced="true"';
const isRightlyEmpty = (expr: string) =>
  Object.keys(RIGHTLY_EMPTY).some((part) => expr.includes(part));

/** In place of clamd: it finds nothing, and its signatures are new. */
async function startCleanScanner(): Promise<AsyncDisposable & { url: string }> {
  const builtAt = new Date().toISOString().slice(0, 19).replace('T', ' ');
  const server = createServer((socket) => {
    let sent = '';
    socket.on('error', () => undefined);
    socket.setEncoding('latin1').on('data', (text: string) => {
      sent += text;
      if (sent.startsWith('zPING')) socket.end('PONG\0');
      else if (sent.startsWith('zVERSION')) socket.end(`ClamAV 1.4.6/27800/${builtAt}\0`);
      else if (sent.endsWith('\0\0\0\0')) socket.end('stream: OK\0');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * A second gateway, behind a load balancer, with a blocklist, a scanner, and an rspamd that is
 * unavailable.
 */
const startGuardedGateway = (
  { standalone }: WholeSystem,
  { dnsServer, clamd }: { dnsServer: string; clamd: string },
) => {
  const { nats_url, mongodb_uri } = standalone.state();
  const env = {
    NATS_URL: nats_url,
    MONGODB_URI: mongodb_uri,
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: '0',
    METRICS_HOST: '127.0.0.1',
    METRICS_PORT: '0',
    DNS_SERVERS: dnsServer,
    PROXY_PROTOCOL_NETWORKS: '127.0.0.0/8',
    DNSBL_ZONES: 'bl.example',
    RSPAMD_URL: 'http://127.0.0.1:1',
    CLAMD: clamd,
    SMTP_STOP_GRACE: '100ms',
    STREAM_MAX_BYTES: '100000000',
  };
  return startGateway(readConfig(GatewayConfig, env), createLog('silent'));
};

/** An email from a public address. */
async function fromAbroad(port: number, to: string): Promise<void> {
  await using smtp = await dialogue(
    port,
    '127.0.0.1',
    proxyV1({ source: '81.0.0.2', sourcePort: 1025, destination: '81.0.0.1', destinationPort: 25 }),
  );
  for (const line of ['EHLO mx.example', 'MAIL FROM:<a@b.example>', `RCPT TO:<${to}>`])
    expect(await smtp.say(line)).toMatch(/^250/);
  expect(await smtp.say('DATA')).toMatch(/^354/);
  expect(await smtp.say('Subject: from abroad\r\n\r\nobserved\r\n.')).toMatch(/^250/);
}

const tools = await findPrometheus();
const parts = new AsyncDisposableStack();
let prometheus: RunningPrometheus;
let jobs: Record<string, string[]>;

/** The output of `promtool check metrics` for a page. */
async function checkMetrics(page: string): Promise<{ stdout: string; stderr: string }> {
  const running = run(tools?.promtool ?? '', ['check', 'metrics']);
  running.child.stdin?.end(page);
  // it fails if it finds a problem
  return await running.catch((error: unknown) => error as { stdout: string; stderr: string });
}

describe.skipIf(tools === undefined)('a Prometheus that scrapes a whole system', () => {
  beforeAll(async () => {
    if (tools === undefined) return;
    const dns = parts.use(await startTestDns());
    const scanner = parts.use(await startCleanScanner());
    const system = parts.use(
      await startWholeSystem({
        MAIL_AUTH: 'true',
        DNS_SERVERS: dns.address,
        RETRY_SCHEDULE: '200ms,200ms',
        STREAM_MAX_BYTES: '100000000',
        FAILING_AFTER: '200ms',
      }),
    );
    const dir = parts.use(await testDir());
    const { metrics_urls, smtp_port } = system.standalone.state();
    const guarded = parts.use(
      await startGuardedGateway(system, { dnsServer: dns.address, clamd: scanner.url }),
    );
    jobs = {
      ...Object.fromEntries(
        Object.entries(metrics_urls).map(([name, url]) => [name, [new URL(url).host]]),
      ),
      guarded: [`127.0.0.1:${guarded.announce.metrics_port}`],
    };
    prometheus = parts.use(await startPrometheus(tools, { dir: dir.path, jobs, ruleFiles: RULES }));

    const [well, flaky, refusing] = [
      await system.address('/well'),
      await system.address('/flaky'),
      await system.address('/refusing'),
    ];
    system.receiver.answer('/flaky', (count) => (count % 3 === 0 ? 200 : 503));
    system.receiver.answer('/refusing', () => 404);
    for (let round = 0; round < 8; round++) {
      for (const { address } of [well, flaky, refusing])
        await system.mailer.sendMail({
          from: 'a@b.example',
          to: address,
          subject: `round ${round}`,
          text: 'observed',
        });
      await play(smtp_port, [
        ['EHLO mx.example', '250'],
        ['MAIL FROM:<a@b.example>', '250'],
        [`RCPT TO:<nobody@${well.address.split('@')[1]}>`, '550'],
        ['QUIT', '221'],
      ]);
      await fromAbroad(Number(guarded.announce.smtp_port), well.address);
      await system.call('GET', '/addresses');
      await system.call('GET', '/addresses/none');
      await sleep(1_000); // rates need growth over several scrapes
    }
    await until(
      'retries that were delivered',
      async () =>
        Number(
          (await prometheus.query('sum(inlet_deliveries_total{status="delivered"})'))[0]?.value[1],
        ) >= 16,
    );
  });
  afterAll(() => parts.disposeAsync());

  test.each(
    Object.values(DASHBOARDS).flatMap(({ title, rows }) =>
      Object.values(rows)
        .flat()
        .map((panel) => [title, panel.title, panel] as const),
    ),
  )('%s: %s', async (_, __, { queries, emptyWhen }) => {
    expect(emptyWhen ?? queries.some(([expr]) => !isRightlyEmpty(expr))).toBeTruthy();
    for (const [expr] of queries) {
      const requested = expr
        .replaceAll(/\$(namespace|pod|account)\b/g, '.*')
        .replaceAll('$__rate_interval', '30s')
        .replaceAll('$__range', '5m');
      const mayBeNaN = expr.includes(WITHOUT_EVENTS);
      const answer = (await prometheus.query(requested)).filter(
        ({ value }) => mayBeNaN || Number.isFinite(Number(value[1])),
      );
      expect([expr, answer.length > 0]).toEqual([expr, !isRightlyEmpty(expr)]);
    }
  });

  test('the marks of rollouts and restarts are found', async () => {
    const [, rollouts] = ANNOTATIONS.map(({ expr }) => expr);
    const requested = String(rollouts).replace('$namespace', '.*').replace('< 120', '< 3600');
    const started = (await prometheus.query(requested)).map(({ metric }) => metric.component);
    expect(new Set(started)).toEqual(new Set(['gateway', 'dispatcher', 'api']));
  });

  test('every series that an alert uses exists', async () => {
    const { groups } = (await prometheus.get('rules')) as {
      groups: { rules: { name: string; query: string; health: string; lastError?: string }[] }[];
    };
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    const selectors = new Set(
      rules.flatMap(
        ({ query }) => query.match(/\b(?:inlet|nodejs|process)_\w+(?:\{[^}]*\})?|\bup\b/g) ?? [],
      ),
    );
    expect(selectors.size).toBeGreaterThan(30);
    const missing: string[] = [];
    for (const selector of selectors) {
      const found = (await prometheus.query(`count(last_over_time(${selector}[5m]))`)).length > 0;
      if (found === isRightlyEmpty(selector)) missing.push(selector);
    }
    expect(missing).toEqual([]);
  });

  test('every query of the runbooks returns data', async () => {
    const queries = (await runbookQueries()).map((expr) =>
      expr.replaceAll(/\[\d+[mh]\]/g, '[30s]'),
    );
    expect(queries.length).toBeGreaterThan(15);
    const wrong: string[] = [];
    for (const expr of queries)
      if ((await prometheus.query(expr)).length > 0 === isRightlyEmpty(expr)) wrong.push(expr);
    expect(wrong).toEqual([]);
  });

  test('the query that scales the dispatchers returns one number', async () => {
    const values = parse(await readFile(join(CHART, 'values.yaml'), 'utf8')) as {
      dispatcher: { autoscaling: { query: string } };
    };
    const query = values.dispatcher.autoscaling.query.replace(
      'namespace="{{ .Release.Namespace }}"',
      '',
    ); // only Kubernetes knows namespaces
    expect(await prometheus.query(query)).toEqual([
      { metric: {}, value: [expect.any(Number), expect.stringMatching(/^\d+$/)] },
    ]);
  });

  test('no critical alert fires on a healthy system', async () => {
    const { alerts } = (await prometheus.get('alerts')) as {
      alerts: { labels: Record<string, string>; state: string }[];
    };
    expect(
      alerts
        .filter(({ labels }) => labels.severity === 'critical')
        .map(({ labels }) => labels.alertname),
    ).toEqual([]);
  });

  test.each(['gateway', 'dispatcher', 'api'])(
    'promtool finds no fault in what the %s exposes',
    async (job) => {
      const page = await (await fetch(`http://${String(jobs[job]?.[0])}/metrics`)).text();
      const { stderr, stdout } = await checkMetrics(page);
      expect(`${stdout}${stderr}`.split('\n').filter((line) => line.startsWith('inlet_'))).toEqual(
        [],
      ); // names of Node's own metrics are prom-client's
    },
  );

  test('docs/monitoring.md lists exactly the metrics that are exposed', async () => {
    const names = ((await prometheus.get('label/__name__/values')) as string[]).filter((name) =>
      name.startsWith('inlet_'),
    );
    const listed = new Set(
      SERVICES.flatMap(metricsOf).flatMap(({ name, type }) =>
        type === 'histogram'
          ? ['_bucket', '_sum', '_count'].map((part) => `${name}${part}`)
          : [name],
      ),
    );
    expect(names.filter((name) => !listed.has(name))).toEqual([]);
  });

  test('no label contains an address, an email or a receiver', async () => {
    const series = (await prometheus.get('series?match[]={__name__=~"inlet_.*"}')) as Record<
      string,
      string
    >[];
    expect(series.filter((labels) => /@|https?:|evt_|addr_/.test(JSON.stringify(labels)))).toEqual(
      [],
    );
  });
});
