/**
 * Webhooks carry a traceparent with and without a collector, and no state of the collector delays an
 * email (D42).
 */
import { expect, test } from 'vitest';

import { createLog } from '../../services/adapters/process/log.ts';
import { mailTrace } from '../../services/core/id/trace-context.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { type Pipeline, startPipeline } from '../support/pipeline.ts';
import { until } from '../support/until.ts';

const send = async ({ mailer }: Pipeline, to: string, emails = 1): Promise<void> => {
  for (let i = 0; i < emails; i++)
    await mailer.sendMail({ from: 'a@b.example', to, subject: `email ${i}`, text: 'x' });
};
const flagsOf = (pipeline: Pipeline, path: string) =>
  pipeline.receiver.received(path).map(({ headers }) => String(headers.traceparent).slice(-2));
const spansBy = async (metricsUrl: string, result: string): Promise<number> => {
  const page = await (await fetch(metricsUrl)).text();
  const [, value] =
    new RegExp(`^inlet_trace_spans_total\\{.*${result}.*\\} (\\d+)`, 'm').exec(page) ?? [];
  return Number(value);
};

test('without a collector: one trace id in all attempts and in the log, a span id for each', async () => {
  const lines: { event: string; trace_id?: string }[] = [];
  const log = createLog('info', {}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  await using pipeline = await startPipeline({ log });
  const address = await pipeline.address('/off');
  pipeline.receiver.answer('/off', (count) => (count < 3 ? 503 : 200));
  await send(pipeline, address.address);
  const { payload } = await pipeline.receiver.nth('/off', 3);
  const { traceId } = mailTrace(payload.event_id);
  const headers = pipeline.receiver.received('/off').map((webhook) => webhook.headers.traceparent);
  expect(new Set(headers).size).toBe(3);
  for (const header of headers)
    expect(header).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
  const ofMail = () =>
    lines.filter(({ event }) => /^mail\.accepted|^delivery\.attempted/.test(event));
  await until('the log of all attempts', () => ofMail().length === 4);
  expect(ofMail().map(({ trace_id }) => trace_id)).toEqual(Array(4).fill(traceId));
});

test('a sampler that exports nothing: webhooks say so, and the collector is not called', async () => {
  await using collector = await startOtlpReceiver();
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_TRACES_SAMPLER_ARG: '0',
  };
  await using stopped = new AsyncDisposableStack();
  const pipeline = stopped.use(await startPipeline({ env }));
  const address = await pipeline.address('/unsampled');
  await send(pipeline, address.address, 3);
  await pipeline.receiver.nth('/unsampled', 3);
  expect(flagsOf(pipeline, '/unsampled')).toEqual(['00', '00', '00']);
  await stopped.disposeAsync(); // exports what waits
  expect(collector.requests).toEqual([]);
});

test('the flag of a webhook is true to the sampler: of half the traces, all spans are exported', async () => {
  await using collector = await startOtlpReceiver();
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_TRACES_SAMPLER_ARG: '0.5',
  };
  await using pipeline = await startPipeline({ env });
  const address = await pipeline.address('/half');
  const EMAILS = 40; // all or none of them: once in 10^12 runs
  await send(pipeline, address.address, EMAILS);
  await pipeline.receiver.nth('/half', EMAILS);
  const sampled = pipeline.receiver
    .received('/half')
    .filter(({ headers }) => headers.traceparent?.slice(-2) === '01')
    .map(({ payload }) => mailTrace(payload.event_id).traceId);
  expect(sampled.length).toBeGreaterThan(0);
  expect(sampled.length).toBeLessThan(EMAILS);
  await until('all spans', () => collector.spans().length === 4 * sampled.length);
  expect(new Set(collector.spans().map(({ traceId }) => traceId))).toEqual(new Set(sampled));
});

test('a collector that fails delays no email, and the spans are counted as failed', async () => {
  await using collector = await startOtlpReceiver((response) => void response.writeHead(500).end());
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
  await using pipeline = await startPipeline({ env });
  const address = await pipeline.address('/fails');
  await send(pipeline, address.address, 20);
  await pipeline.receiver.nth('/fails', 20);
  expect(flagsOf(pipeline, '/fails')).toEqual(Array(20).fill('01'));
  for (const url of Object.values(pipeline.metricsUrls))
    await until(`failed spans at ${url}`, async () => (await spansBy(url, 'failed')) > 0);
});
