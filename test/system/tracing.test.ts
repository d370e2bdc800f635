/**
 * Traces of a whole system at a collector: one for each email, from its SMTP transaction to the
 * record of every attempt.
 */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';

import { mailTrace } from '../../services/core/id/trace-context.ts';
import { type ExportedSpan, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { until } from '../support/until.ts';
import { startWholeSystem } from '../support/start-standalone.ts';
import { useInFile } from '../support/use-in-file.ts';

const collector = await useInFile(startOtlpReceiver());
const system = await useInFile(
  startWholeSystem({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-token',
    RETRY_SCHEDULE: '50ms,50ms',
  }),
);

type Shown = { trace_id: string; status: string };
const send = (to: string | string[], fields: object = {}) =>
  system.mailer.sendMail({
    from: 'ann@sender.example',
    to,
    subject: 'Order 7',
    text: 'Two.',
    ...fields,
  });
/** The trace of the email that a receiver got, once it has so many spans. */
async function traceOf(path: string, spans: number): Promise<ExportedSpan[]> {
  const { payload } = await system.receiver.nth(path, 1);
  const { traceId } = mailTrace(payload.event_id);
  return until(`${spans} spans of ${path}`, () => {
    const found = collector.trace(traceId);
    return found.length >= spans ? found : undefined;
  });
}
const named = (trace: readonly ExportedSpan[], name: string) =>
  trace.filter((span) => span.name === name);

test('D42: one email is one trace: accept, store, attempt, record, each below the one before', async () => {
  const address = await system.address('/orders?token=path-secret');
  await send(address.address);
  const trace = await traceOf('/orders?token=path-secret', 4);
  const [webhook] = system.receiver.received('/orders?token=path-secret');
  const event_id = webhook?.payload.event_id ?? '';
  const [accept, store, attempt, record] = ['accept', 'store', 'attempt', 'record'].map(
    (name) => named(trace, name)[0],
  );
  const common = { 'inlet.event_id': event_id, 'inlet.address_id': address.id };
  expect(trace).toHaveLength(4);
  expect(accept).toMatchObject({ service: 'inlet-gateway', kind: 'server', parentSpanId: '' });
  expect(accept?.attributes).toMatchObject({ ...common, 'inlet.recipients': 1 });
  expect(accept?.attributes['inlet.size_bytes']).toBeGreaterThan(100);
  expect(store).toMatchObject({
    service: 'inlet-gateway',
    kind: 'producer',
    parentSpanId: accept?.spanId,
  });
  expect(attempt).toMatchObject({
    service: 'inlet-dispatcher',
    kind: 'client',
    parentSpanId: store?.spanId,
    isError: false,
    attributes: {
      ...common,
      'inlet.attempt': 1,
      'inlet.outcome': 'accepted',
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'server.address': 'localhost',
      'server.port': system.receiver.port,
    },
  });
  expect(record).toMatchObject({ service: 'inlet-dispatcher', parentSpanId: attempt?.spanId });
  expect(webhook?.headers.traceparent).toBe(`00-${attempt?.traceId}-${attempt?.spanId}-01`);
  const { body } = await system.call('GET', `/deliveries/${event_id}`);
  expect((body as Shown).trace_id).toBe(attempt?.traceId);
});

test('every attempt is a span below the same parent, with its own traceparent', async () => {
  const address = await system.address('/busy');
  system.receiver.answer('/busy', (count) => [503, 429, 200][count - 1] ?? 200);
  await send(address.address);
  const trace = await traceOf('/busy', 8);
  const attempts = named(trace, 'attempt');
  expect(
    attempts.map(({ isError, attributes }) => [
      attributes['inlet.attempt'],
      attributes['http.request.resend_count'],
      attributes['http.response.status_code'],
      attributes['error.type'],
      isError,
    ]),
  ).toEqual([
    [1, undefined, 503, '503', true],
    [2, 1, 429, '429', true],
    [3, 2, 200, undefined, false],
  ]);
  expect(new Set(attempts.map(({ parentSpanId }) => parentSpanId))).toEqual(
    new Set([named(trace, 'store')[0]?.spanId]),
  );
  expect(named(trace, 'record').map(({ parentSpanId }) => parentSpanId)).toEqual(
    attempts.map(({ spanId }) => spanId),
  );
  expect(system.receiver.received('/busy').map(({ headers }) => headers.traceparent)).toEqual(
    attempts.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`),
  );
});

test('a large email, received and posted by worker threads, has the same spans', async () => {
  const address = await system.address('/large');
  await send(address.address, {
    attachments: [{ filename: 'attached-name.bin', content: randomBytes(2_000_000) }],
  });
  const trace = await traceOf('/large', 4);
  expect(trace.map(({ name }) => name).toSorted()).toEqual([
    'accept',
    'attempt',
    'record',
    'store',
  ]);
  const [attempt] = named(trace, 'attempt');
  const [webhook] = system.receiver.received('/large');
  expect(webhook?.headers.traceparent).toBe(`00-${attempt?.traceId}-${attempt?.spanId}-01`);
});

test('each recipient has a trace, and a repeat by the sender is in the first trace', async () => {
  const [one, other] = [await system.address('/one'), await system.address('/other')];
  const email = { messageId: '<repeated@sender.example>', date: new Date(0) };
  await send([one.address, other.address], email);
  await send(one.address, {
    ...email,
    to: [one.address, other.address],
    envelope: {
      from: 'ann@sender.example',
      to: [one.address],
    },
  });
  const [first, second] = [await traceOf('/one', 5), await traceOf('/other', 4)];
  expect(first[0]?.traceId).not.toBe(second[0]?.traceId);
  const [accept, repeat] = named(first, 'accept');
  expect(accept?.attributes).toMatchObject({ 'inlet.recipients': 2, 'inlet.is_repeat': false });
  expect(repeat).toMatchObject({
    parentSpanId: accept?.spanId,
    attributes: { 'inlet.is_repeat': true },
  });
  expect(named(second, 'accept')).toHaveLength(1);
});

const request = async (path: string, traceparent?: string, method = 'GET') => {
  const { api_url, token } = system.standalone.state();
  return fetch(`${api_url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(traceparent && { traceparent }) },
  });
};

describe('requests of the API', () => {
  test('are spans below the traceparent of their client', async () => {
    const traceId = randomBytes(16).toString('hex');
    await request('/addresses/addr_unknown', `00-${traceId}-00f067aa0ba902b7-01`);
    const [span] = await until('the span', () => {
      const found = collector.trace(traceId);
      return found.length > 0 ? found : undefined;
    });
    expect(span).toMatchObject({
      service: 'inlet-api',
      name: 'GET /v1/addresses/{address_id}',
      kind: 'server',
      parentSpanId: '00f067aa0ba902b7',
      isError: false,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/v1/addresses/{address_id}',
        'http.response.status_code': 404,
      },
    });
  });

  test('that their client does not sample are not exported', async () => {
    const [unsampled, later] = [randomBytes(16), randomBytes(16)].map((id) => id.toString('hex'));
    await request('/account', `00-${unsampled}-00f067aa0ba902b7-00`);
    await request('/account', `00-${later}-00f067aa0ba902b7-01`);
    await until('a later span', () => collector.trace(later ?? '').length > 0);
    expect(collector.trace(unsampled ?? '')).toEqual([]);
  });

  test('of strangers are neither in the trace that they name, nor sampled because they say so', async () => {
    const [chosen, later] = [randomBytes(16), randomBytes(16)].map((id) => id.toString('hex'));
    const { api_url } = system.standalone.state();
    for (const authorization of ['', 'Bearer svc_live_unknown'])
      await fetch(`${api_url}/addresses/addr_stranger`, {
        headers: { authorization, traceparent: `00-${chosen}-00f067aa0ba902b7-00` },
      });
    await request('/account', `00-${later}-00f067aa0ba902b7-01`);
    await until('a later span', () => collector.trace(later ?? '').length > 0);
    expect(collector.trace(chosen ?? '')).toEqual([]);
    // the sampler of this system exports all that begins here
    const unauthorized = collector
      .spans()
      .filter(({ attributes }) => attributes['http.response.status_code'] === 401);
    expect(unauthorized.map(({ parentSpanId }) => parentSpanId)).toEqual(['', '']);
  });

  test('a test webhook carries a traceparent and is a span', async () => {
    const address = await system.address('/tested');
    await request(`/addresses/${address.id}/test`, undefined, 'POST');
    const [span] = await traceOf('/tested', 1);
    expect(span).toMatchObject({ service: 'inlet-api', name: 'attempt', parentSpanId: '' });
    const [webhook] = system.receiver.received('/tested');
    expect(webhook?.headers.traceparent).toBe(`00-${span?.traceId}-${span?.spanId}-01`);
  });
});

test('every export has the header of the collector, and nothing of any email or URL', async () => {
  const address = await system.address('/content?token=path-secret');
  const email = {
    from: '"Ann Sender" <ann.private@sender.example>',
    subject: 'Subject-marker',
    text: 'Text-marker',
    html: '<p>Html-marker</p>',
    attachments: [{ filename: 'File-marker.txt', content: 'Attachment-marker' }],
  };
  await send(address.address, email);
  await traceOf('/content?token=path-secret', 4);
  expect(new Set(collector.requests.map(({ headers }) => headers.authorization))).toEqual(
    new Set(['Bearer collector-token']),
  );
  const sent = Buffer.concat(collector.requests.map(({ body }) => body)).toString('latin1');
  const [localPart = ''] = address.address.split('@');
  const secrets = [
    'marker',
    'private',
    'sender.example',
    'path-secret',
    'content?',
    localPart,
    system.standalone.state().token,
    address.webhook_secret,
  ];
  expect(secrets.filter((secret) => sent.includes(secret))).toEqual([]);
});
