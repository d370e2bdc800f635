/** L.6: the audit trail as logs for an OpenTelemetry collector. */
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { AUDIT_EXPORTS } from '../../../services/adapters/mongo/audit/export-cursor.ts';
import { createStores } from '../../../services/adapters/mongo/stores.ts';
import { ConfigError, readConfig } from '../../../services/adapters/process/config.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { createMeter } from '../../../services/adapters/process/meter.ts';
import { createSweeps } from '../../../services/adapters/process/sweeps.ts';
import {
  AuditLogConfig,
  startLogExporter,
  TracingConfig,
} from '../../../services/adapters/tracing/tracing.ts';
import { startAuditExport } from '../../../services/api/jobs/audit-export.ts';
import { createApiMetrics } from '../../../services/api/process/metrics.ts';
import { firstIdAt } from '../../../services/core/id/ids.ts';
import { type ExportedLog, startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { atMost } from '../../support/slowdown.ts';
import { HOOK, startTestApi } from '../../support/start-api.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';

const silent = createLog('silent');
const TIMING = { everyMs: 50, settledMs: 200 };

const api = await useInFile(startTestApi());

const cursors = () => api.mongo.db.collection<{ _id: string }>(AUDIT_EXPORTS);

const configFor = (endpoint: string) =>
  readConfig(z.object({ ...TracingConfig, ...AuditLogConfig }), {
    OTEL_LOGS_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20t1',
  });

/** As an API process does, but sooner. */
async function startExport(endpoint: string) {
  const meter = createMeter(new Registry());
  const exporter = await startLogExporter(configFor(endpoint), 'api');
  if (exporter === undefined) throw new Error('the export is off');
  const metrics = createApiMetrics(meter);
  const startSweep = createSweeps(meter, () => new Date(), silent);
  const { auditExports } = createStores(api.mongo.db);
  return startAuditExport({ auditExports, exporter, metrics, startSweep }, TIMING);
}

/** The first export begins now. */
const begun = () => until('a cursor', async () => (await cursors().findOne()) ?? undefined);

const idsOf = (logs: readonly ExportedLog[]) =>
  logs.map(({ attributes }) => String(attributes['inlet.audit_event_id']));

const storedEvent = (at: Date, type: 'token.created' | 'webhook.delivered', number: number) => ({
  id: firstIdAt('evt', at) + String(number).padStart(16, '0'),
  account_id: api.account.id,
  environment: 'live' as const,
  type,
  address_id: null,
  timestamp: at,
  data: {},
});

test('L.6: each change arrives with the documented attributes, and no secret', async () => {
  await cursors().deleteMany({});
  await using collector = await startOtlpReceiver();
  await using _job = await startExport(collector.endpoint);
  await begun();
  const now = new Date();
  await createStores(api.mongo.db).events.add([storedEvent(now, 'webhook.delivered', 1)]);
  const address = await api.create({ description: 'for the shop' });
  const { body: token } = await api.ask('POST', '/v1/account/tokens', {
    body: { name: 'agent' },
    headers: { 'x-request-id': 'request-1' },
  });
  const [created, issued] = await until('two logs', async () => {
    const logs = collector.logs();
    return logs.length >= 2 ? logs : undefined;
  });
  expect(created).toMatchObject({
    service: 'inlet-api',
    name: 'inlet.address.created',
    severity: 'INFO',
    body: { webhook_url: HOOK, description: 'for the shop', is_permanent: true },
    attributes: { 'inlet.account_id': api.account.id, 'inlet.address_id': address.id },
  });
  expect(issued?.name).toBe('inlet.token.created');
  expect(issued?.attributes).toEqual({
    'inlet.audit_event_id': expect.stringMatching(/^evt_/) as string,
    'inlet.account_id': api.account.id,
    'inlet.environment': 'live',
    'inlet.actor': 'token',
    'inlet.token_id': expect.stringMatching(/^token_/) as string,
    'inlet.request_id': 'request-1',
    'client.address': '127.0.0.1',
  });
  expect(Math.abs((issued?.atMs ?? 0) - now.getTime())).toBeLessThan(atMost(60_000));
  expect(collector.requests[0]?.headers.authorization).toBe('Bearer t1');
  const sent = Buffer.concat(collector.requests.map(({ body }) => body)).toString('latin1');
  for (const secret of [String(address.webhook_secret), String(token.token)])
    expect(sent).not.toContain(secret);
});

test('L.6: a collector that refuses loses nothing; batches follow one another in order', async () => {
  const start = new Date(Date.now() - 1_500_000); // more than two windows ago
  await cursors().deleteMany({});
  await createStores(api.mongo.db).auditExports.claim('before', start);
  await createStores(api.mongo.db).auditExports.release('before');
  const events = Array.from({ length: 1_100 }, (_, number) =>
    storedEvent(new Date(start.getTime() + 1_000 + number * 1_000), 'token.created', number),
  );
  await createStores(api.mongo.db).events.add(events);
  let refused = 0;
  await using collector = await startOtlpReceiver((response) => {
    const isRefused = refused < 2;
    if (isRefused) refused++;
    response.writeHead(isRefused ? 400 : 200).end();
  });
  await using _job = await startExport(collector.endpoint);
  const expected = events.map(({ id }) => id);
  const accepted = () =>
    [...new Set(idsOf(collector.logs()))].filter((id) => expected.includes(id));
  await until('all events', async () => accepted().length === expected.length);
  expect(refused).toBe(2);
  expect(accepted()).toEqual(expected);
});

test('L.6: of several processes, one exports at a time: each event once', async () => {
  await cursors().deleteMany({});
  await using collector = await startOtlpReceiver();
  await using _one = await startExport(collector.endpoint);
  await using _two = await startExport(collector.endpoint);
  await begun();
  for (let number = 0; number < 5; number++) await api.create();
  await until('five logs', async () => collector.logs().length >= 5);
  expect(new Set(idsOf(collector.logs())).size).toBe(collector.logs().length);
});

describe('settings', () => {
  test('it is off by default, also with a collector of spans', async () => {
    const config = { ...configFor('http://127.0.0.1:1'), OTEL_LOGS_EXPORTER: 'none' as const };
    expect(await startLogExporter(config, 'api')).toBeUndefined();
  });

  test('without a collector, the API does not start', async () => {
    await expect(startTestApi({ env: { OTEL_LOGS_EXPORTER: 'otlp' } })).rejects.toThrow(
      ConfigError,
    );
  });

  test('with one, the API exports', async () => {
    await using collector = await startOtlpReceiver();
    const env = { OTEL_LOGS_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
    await using exporting = await startTestApi({ env });
    const cursor = () => exporting.mongo.db.collection(AUDIT_EXPORTS).findOne();
    expect(await until('a cursor', cursor)).toMatchObject({ after: expect.any(String) as string });
  });
});
