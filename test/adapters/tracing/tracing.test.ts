/** Spans leave in batches for a real receiver of OTLP, and no failure of it can hold a caller. */
import { Registry } from 'prom-client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';

import { createMeter } from '../../../services/adapters/process/meter.ts';
import { ConfigError, readConfig } from '../../../services/adapters/process/config.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import type { Span, Tracing } from '../../../services/adapters/tracing/span.ts';
import { startTracing, TracingConfig } from '../../../services/adapters/tracing/tracing.ts';
import { startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { until } from '../../support/until.ts';

const registry = new Registry();
let parts = new AsyncDisposableStack();
afterEach(async () => {
  vi.unstubAllEnvs();
  await parts.disposeAsync();
  parts = new AsyncDisposableStack();
  registry.clear();
});

const lines: string[] = [];
const log = createLog('info', {}, { write: (line: string) => void lines.push(line) });
const read = (env: Record<string, string>) => readConfig(z.object(TracingConfig), env);
const start = (env: Record<string, string>) =>
  startTracing(read(env), 'gateway', createMeter(registry), log).then((tracing) => {
    lines.length = 0;
    return tracing && parts.use(tracing);
  });
const started = async (env: Record<string, string>): Promise<Tracing> => {
  const tracing = await start(env);
  if (tracing === undefined) throw new Error('tracing is off');
  return tracing;
};

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0');
const span = (number: number, fields: Partial<Span> = {}): Span => ({
  name: 'work',
  kind: 'internal',
  traceId: hex(number, 32),
  spanId: hex(number, 16),
  startedAt: new Date(1_767_225_600_000),
  durationMs: 12.5,
  attributes: {},
  ...fields,
});
/** Trace ids whose parts differ, as real ones do. */
const traceIds = Array.from({ length: 2000 }, (_, i) => hex((i + 1) * 0x200000, 8).padEnd(32, '0'));

async function spansBy(result: string): Promise<number> {
  const { values } = (await registry.getSingleMetric('inlet_trace_spans_total')?.get()) ?? {};
  return values?.find(({ labels }) => labels.result === result)?.value ?? 0;
}

test('a span arrives with its ids, times and attributes', async () => {
  const collector = parts.use(await startOtlpReceiver());
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=staging');
  const tracing = await started({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.endpoint}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20t1, x-scope = mail',
  });
  const attributes = { 'inlet.event_id': 'evt_1', 'inlet.attempt': 2, 'inlet.is_repeat': true };
  tracing.add(span(1, { kind: 'server', attributes }));
  tracing.add(
    span(2, { kind: 'client', traceId: hex(1, 32), parentSpanId: hex(1, 16), isError: true }),
  );
  await until('the export', () => collector.spans().length === 2);
  const common = { service: 'inlet-gateway', traceId: hex(1, 32), name: 'work' };
  const times = { startMs: 1_767_225_600_000, endMs: 1_767_225_600_012.5 };
  expect(collector.trace(hex(1, 32))).toEqual([
    {
      ...common,
      ...times,
      spanId: hex(1, 16),
      parentSpanId: '',
      kind: 'server',
      attributes,
      isError: false,
    },
    {
      ...common,
      ...times,
      spanId: hex(2, 16),
      parentSpanId: hex(1, 16),
      kind: 'client',
      attributes: {},
      isError: true,
    },
  ]);
  const [request] = collector.requests;
  expect(request?.path).toBe('/v1/traces');
  expect(request?.headers).toMatchObject({
    'content-type': 'application/x-protobuf',
    authorization: 'Bearer t1',
    'x-scope': 'mail',
  });
  expect(request?.body.toString('latin1')).toContain('staging');
  await until('the count', async () => (await spansBy('exported')) === 2);
});

test('what waits is exported when the process stops', async () => {
  const collector = parts.use(await startOtlpReceiver());
  const tracing = await started({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
  for (let i = 1; i <= 1_000; i++) tracing.add(span(i));
  await tracing[Symbol.asyncDispose]();
  expect(collector.spans()).toHaveLength(1_000);
});

describe('a collector that fails', () => {
  test('refuses: the spans are counted, and an interruption is one log line', async () => {
    const collector = parts.use(
      await startOtlpReceiver((response) => void response.writeHead(400).end('bad')),
    );
    const tracing = await started({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
    for (const round of [1, 2, 3]) {
      tracing.add(span(round));
      await until('a failed export', async () => (await spansBy('failed')) === round);
    }
    expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual([
      'tracing.not_exported',
    ]);
    expect(await spansBy('exported')).toBe(0);
  });

  test('never responds: the queue is bounded, and a stop waits for a few seconds only', async () => {
    const collector = parts.use(await startOtlpReceiver(() => undefined));
    const tracing = await started({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
    for (let i = 1; i <= 3_000; i++) tracing.add(span(i));
    expect(await spansBy('dropped')).toBe(3_000 - 2_048);
    const stoppedFrom = performance.now();
    await tracing[Symbol.asyncDispose]();
    expect(performance.now() - stoppedFrom).toBeLessThan(9_000);
  });
});

const share = (tracing: Tracing, parent?: { isSampled: boolean }) =>
  traceIds.filter((id) => tracing.isSampled(id, parent)).length / traceIds.length;
const sampled = (ratio: string) =>
  started({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_TRACES_SAMPLER_ARG: ratio,
  });

describe('sampling', () => {
  test.each([
    ['0', [0, 1, 0]],
    ['1', [1, 1, 0]],
  ])(
    'a share of %s: without a parent, with a sampled and an unsampled one',
    async (ratio, shares) => {
      const tracing = await sampled(ratio);
      expect([
        share(tracing),
        share(tracing, { isSampled: true }),
        share(tracing, { isSampled: false }),
      ]).toEqual(shares);
    },
  );

  test('D42: the decision is a function of the trace id, so all services agree', async () => {
    const [one, other] = [await sampled('0.25'), (registry.clear(), await sampled('0.25'))];
    expect(share(one)).toBeGreaterThan(0.2);
    expect(share(one)).toBeLessThan(0.3);
    expect(traceIds.filter((id) => one.isSampled(id) !== other.isSampled(id))).toEqual([]);
  });
});

describe('settings', () => {
  test('without an endpoint, tracing is off', async () => {
    expect(await start({})).toBeUndefined();
  });

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'otel-collector:4318'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'Bearer s3cret'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=%s3cret'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ])('%s cannot be "%s", and the message does not repeat a secret', (name, value) => {
    const reading = () => read({ [name]: value });
    expect(reading).toThrow(ConfigError);
    expect(reading).toThrow(new RegExp(`${name}: (?!.*s3cret)`));
  });
});
