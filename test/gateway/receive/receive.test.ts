/**
 * What `receive` makes of an email, next to its payload: the digest, the warning about line ends,
 * the bound on memory.
 */
import { expect, test } from 'vitest';

import type { MailQueue } from '../../../services/adapters/stream/mail-queue.ts';
import { digestOfRaw, foldDigest } from '../../../services/core/delivery/mail-event.ts';
import { writtenBytes } from '../../../services/core/mail/payload-bytes.ts';
import type { WebhookPayload } from '../../../services/core/mail/payload.ts';
import type { Recipient } from '../../../services/core/smtp/admission.ts';
import { createByteBudget } from '../../../services/gateway/receive/memory-budget.ts';
import { createReceive, type ReceiveMetrics } from '../../../services/gateway/receive/receive.ts';
import { fullMail } from '../../fixtures/full-mail.ts';

const noMetrics = new Proxy({}, { get: () => () => undefined }) as unknown as ReceiveMetrics;
const recipient = { id: 'addr_1', account_id: 'acc_1', environment: 'live' } as Recipient;

async function receiveOne(raw: Buffer, trace = '', memoryBytes = 1e9) {
  const stored: { payload: WebhookPayload; digest: string }[] = [];
  const queue: MailQueue = {
    store: async (event, payload, digest) => {
      stored.push({
        payload: JSON.parse(writtenBytes(payload).toString()) as WebhookPayload,
        digest,
      });
      return { isRepeat: false, eventId: event.event_id };
    },
  };
  const receive = createReceive(
    {
      examine: async () => ({ authentication: undefined, rspamd: undefined }),
      spamThreshold: 5,
      queue,
      links: undefined,
      memory: createByteBudget(memoryBytes),
      metrics: noMetrics,
    },
    () => new Date(),
    (bytes) => Buffer.alloc(bytes),
  );
  const traced = Buffer.concat([Buffer.from(trace), raw]);
  const { bareLineEnds } = await receive({
    raw: traced.subarray(trace.length),
    traced,
    envelope: { mailFrom: 'a@x.example', heloDomain: '', remoteIp: '' },
    recipients: [{ recipient, named: new Map([['b@in.example', 'b@in.example']]) }],
    receivedAt: new Date(),
    replyBy: new Date(Date.now() + 60_000),
  });
  const [only] = stored;
  if (only === undefined) throw new Error('nothing was stored');
  return { ...only, bareLineEnds };
}

test('the digest is of the email as the client sent it, not of our headers above it', async () => {
  const { digest, payload } = await receiveOne(fullMail, 'Received: by us\r\n');
  expect(digest).toBe(foldDigest('addr_1', ['b@in.example'], 'a@x.example', digestOfRaw(fullMail)));
  expect(payload.headers.all[0]).toEqual({ name: 'Received', value: 'by us' });
});

test('a line end that is not CRLF causes a warning; in our headers it does not', async () => {
  const raw = Buffer.from('Subject: x\r\n\r\none\ntwo\r\n');
  const { bareLineEnds, payload } = await receiveOne(raw);
  expect(bareLineEnds).toBe(true);
  expect(payload.parse_warnings).toMatchObject([{ code: 'bare_line_ends' }]);
  expect((await receiveOne(fullMail, 'By: us\n')).bareLineEnds).toBe(false);
});

test('an email whose payload does not fit into memory is refused for now', async () => {
  const raw = Buffer.from(`\r\n${'\u0001'.repeat(10_000)}`);
  await expect(receiveOne(raw, '', 50_000)).rejects.toThrow(/./);
  expect((await receiveOne(raw, '', 70_000)).payload.content.text?.length).toBe(10_000);
});
