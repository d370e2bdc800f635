/**
 * D44: after an erasure no store has a byte of the email. The files of nats-server, all collections
 * of MongoDB and the logs of all processes are searched for what the email contained, while other
 * emails remain in the same streams. (The files of MongoDB itself are not part of this: see
 * docs/retention.md.)
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { collectionsWith, filesWith } from '../support/stored-bytes.ts';
import { until } from '../support/until.ts';
import { startWholeSystem, type WholeSystem } from '../support/start-standalone.ts';

type Shown = {
  event_id: string;
  status: string;
  outcome: string | null;
  from: string | null;
  mail_from: string;
  subject: string | null;
  content_erased_at: string | null;
  attempts: { status_code: number; excerpt: string | null; location: string | null }[];
};

let system: WholeSystem;
let mongo: MongoClient;
beforeAll(async () => {
  system = await startWholeSystem({ RETRY_SCHEDULE: '1h,2h', LOG_LEVEL: 'debug', PARTITIONS: '1' });
  mongo = new MongoClient(system.standalone.state().mongodb_uri);
});
afterAll(async () => {
  await mongo?.close();
  await system[Symbol.asyncDispose]();
});

const newMarker = () => `marker-${randomBytes(10).toString('hex')}`; // 27 bytes
/** What the sender wrote, in every place of an email. */
async function send(to: string, marker: string, attachmentBytes = 0): Promise<void> {
  await system.mailer.sendMail({
    envelope: { from: `${marker}@sender.example`, to },
    from: `${marker} <${marker}@sender.example>`,
    to,
    subject: `${marker} subject`,
    text: `${marker} text`,
    html: `<p>${marker} html</p>`,
    attachments: [
      {
        filename: `${marker}.bin`,
        content: Buffer.concat([Buffer.from(marker), randomBytes(attachmentBytes)]),
      },
    ],
  });
}
const get = async (id: string) =>
  (await system.call('GET', `/deliveries/${id}`)).body as Shown & Record<string, unknown>;
const payloadStatus = async (id: string) =>
  (await system.call('GET', `/deliveries/${id}/payload`)).status;

/** Files of nats-server and logs, and collections, that contain the marker. */
async function storesWith(marker: string): Promise<string[]> {
  const { dataDir } = system.standalone;
  return [
    ...(await filesWith(join(dataDir, 'nats'), marker)),
    ...(await filesWith(join(dataDir, 'logs'), marker)),
    ...(await collectionsWith(mongo.db('inlet'), marker)),
  ];
}

/** Sends an email between two others of the same address, whose receiver answers with `status`. */
async function amongOthers(path: string, status: number, fields?: object, attachmentBytes = 0) {
  system.receiver.answer(path, (_, { payload }) => ({
    status,
    body: `echo: ${String(payload.headers.subject)}`,
  }));
  const { address } = await system.address(path, fields);
  const markers = [newMarker(), newMarker(), newMarker()];
  const sent: { id: string; marker: string }[] = [];
  for (const marker of markers) {
    await send(address, marker, attachmentBytes);
    const { payload } = await system.receiver.nth(path, sent.length + 1);
    sent.push({ id: payload.event_id, marker });
    await until('the outcome', async () => (await get(payload.event_id)).attempts?.length === 1);
  }
  const [before, erased, after] = sent;
  return { erased: erased!, others: [before!, after!] };
}

test.each<[string, number, string, object | undefined, number]>([
  ['a delivered email', 200, 'delivered', undefined, 100],
  ['an email that waits for a retry, which is canceled', 503, 'failed', undefined, 100],
  ['an email whose delivery failed', 400, 'failed', undefined, 100],
  ['a large email', 200, 'delivered', undefined, 1_500_000],
  [
    'an email with linked files',
    200,
    'delivered',
    { payload: { attachments: 'url', raw: true } },
    700_000,
  ],
])('%s', async (name, status, after, fields, attachmentBytes) => {
  const path = `/${name.replaceAll(' ', '-')}`;
  const { erased, others } = await amongOthers(path, status, fields, attachmentBytes);
  const before = await get(erased.id);
  expect(before).toMatchObject({ subject: `${erased.marker} subject`, content_erased_at: null });
  expect(before.attempts[0]?.excerpt).toContain(erased.marker);
  const held = await storesWith(erased.marker);
  expect(held.some((store) => store.includes('nats'))).toBe(true); // the search finds what is there
  expect(held).toContain('deliveries');

  const response = await system.call('DELETE', `/deliveries/${erased.id}/content`);
  expect(response.status).toBe(200);
  expect(await storesWith(erased.marker)).toEqual([]);

  expect(response.body).toMatchObject({
    event_id: erased.id,
    status: after,
    outcome: status === 503 ? 'canceled' : status === 400 ? 'refused' : 'accepted',
    from: null,
    mail_from: '',
    subject: null,
    content_erased_at: expect.any(String) as string,
    attempts: [{ status_code: status, excerpt: null, location: null }],
  });
  for (const what of ['payload', 'email', 'html']) {
    const gone = await system.call('GET', `/deliveries/${erased.id}/${what}`);
    expect(gone).toMatchObject({
      status: 404,
      body: { error: 'not_found', message: 'The content of this delivery was erased' },
    });
  }
  for (const what of ['replay', 'signature'])
    expect((await system.call('POST', `/deliveries/${erased.id}/${what}`)).status).toBe(404);
  const linkStatuses = async (place: number) => {
    const { content, attachments } = system.receiver.received(path)[place]!.payload;
    const links = [content.raw_url, attachments[0]?.content_url].filter((link) => link);
    return Promise.all(links.map(async (link) => (await fetch(String(link))).status));
  };
  expect(await linkStatuses(1)).toEqual(fields ? [404, 404] : []);
  expect(await linkStatuses(2)).toEqual(fields ? [200, 200] : []);
  for (const other of others) {
    expect(await payloadStatus(other.id)).toBe(200);
    expect((await get(other.id)).subject).toBe(`${other.marker} subject`);
  }
});

test('redact keeps subject and sender out of records, events and logs', async () => {
  const marker = newMarker();
  const { address, id } = await system.address('/redacted', { redact: ['subject', 'from'] });
  await system.mailer.sendMail({
    envelope: { from: `${marker}@sender.example`, to: address },
    from: `${marker} <${marker}@sender.example>`,
    to: address,
    subject: `${marker} subject`,
    text: 'the text is not redacted',
  });
  const { payload } = await system.receiver.nth('/redacted', 1);
  expect(payload.headers.subject).toBe(`${marker} subject`);
  expect(payload.envelope.mail_from).toBe(`${marker}@sender.example`);
  const delivery = await until('the outcome', async () => {
    const found = await get(payload.event_id);
    return found.status === 'delivered' ? found : undefined;
  });
  expect(delivery).toMatchObject({ from: null, mail_from: '', subject: null });
  const { body } = await system.call('GET', '/usage/events?limit=50');
  const event = (body as { data: { id: string; address_id: string; data: object }[] }).data.find(
    (one) => one.id === payload.event_id,
  );
  expect(event).toMatchObject({ address_id: id, data: { from: '', subject: null } });
  expect(await collectionsWith(mongo.db('inlet'), marker)).toEqual([]);
  expect(await filesWith(join(system.standalone.dataDir, 'logs'), marker)).toEqual([]);
});
