/** Like tracing.test.ts, with collectors whose exports take long to fail (D42). */
import { describe, expect, test } from 'vitest';

import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { type Pipeline, startPipeline } from '../support/pipeline.ts';
import { atMost } from '../support/slowdown.ts';
import { until } from '../support/until.ts';

/** Resolves with the time at which each was sent, by its subject. */
const send = async ({ mailer }: Pipeline, to: string, emails = 1) => {
  const sentAt = new Map<string | null, number>();
  for (let i = 0; i < emails; i++) {
    const subject = `email ${i}`;
    sentAt.set(subject, Date.now());
    await mailer.sendMail({ from: 'a@b.example', to, subject, text: 'x' });
  }
  return sentAt;
};
const flagsOf = (pipeline: Pipeline, path: string) =>
  pipeline.receiver.received(path).map(({ headers }) => String(headers.traceparent).slice(-2));
const spansBy = async (metricsUrl: string, result: string): Promise<number> => {
  const page = await (await fetch(metricsUrl)).text();
  const [, value] =
    new RegExp(`^inlet_trace_spans_total\\{.*${result}.*\\} (\\d+)`, 'm').exec(page) ?? [];
  return Number(value);
};

describe('no email is delayed by a collector that', () => {
  test.each([
    ['is unreachable', () => undefined],
    ['never responds', () => startOtlpReceiver(() => undefined)],
  ])('%s', async (name, start) => {
    await using collector = await start();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector?.endpoint ?? 'http://127.0.0.1:9' };
    await using pipeline = await startPipeline({ env });
    const path = `/${name.replaceAll(' ', '-')}`;
    const address = await pipeline.address(path);
    const sentAt = await send(pipeline, address.address, 20);
    await pipeline.receiver.nth(path, 20);
    const delays = pipeline.receiver
      .received(path)
      .map(({ at, payload }) => at - (sentAt.get(payload.headers.subject) ?? NaN));
    expect(Math.max(...delays)).toBeLessThan(atMost(8_000)); // an export takes 10 s to fail
    expect(flagsOf(pipeline, path)).toEqual(Array(20).fill('01'));
    for (const url of Object.values(pipeline.metricsUrls))
      await until(`failed spans at ${url}`, async () => (await spansBy(url, 'failed')) > 0);
  });
});
