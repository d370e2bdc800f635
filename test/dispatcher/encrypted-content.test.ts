/**
 * D283: with ENCRYPT_CONTENT, gateway, dispatcher and API work as without it, and no byte of content is
 * in the files of NATS. Without the key of its account, an email ends and says why.
 */
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { createTransport } from 'nodemailer';
import { expect, test } from 'vitest';

import {
  ACCOUNT_KEYS,
  eraseAccountKeys,
  type StoredAccountKey,
} from '../../services/adapters/mongo/account/account-keys.ts';
import { readConfig } from '../../services/adapters/process/config.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { DispatcherConfig } from '../../services/dispatcher/process/config.ts';
import { startDispatcher } from '../../services/dispatcher/dispatcher.ts';
import { startGateway } from '../../services/gateway/gateway.ts';
import { GatewayConfig } from '../../services/gateway/process/config.ts';
import { log } from '../support/pipeline.ts';
import { startInProcess } from '../support/start-in-process.ts';
import { filesWith } from '../support/stored-bytes.ts';
import { until } from '../support/until.ts';
import { useInFile } from '../support/use-in-file.ts';

const SETTINGS = {
  ENCRYPT_CONTENT: 'true',
  RETRY_SCHEDULE: '20ms,1h',
  PARTITIONS: '1',
  LINK_KEYS: randomBytes(32).toString('base64'),
  PUBLIC_API_URL: 'http://127.0.0.1:1/v1',
};
const whole = await useInFile(startInProcess(SETTINGS));

const newMarker = () => `marker-${randomBytes(10).toString('hex')}`; // 27 bytes
/** The subject is in the record, so the marker is not in it. */
const send = (to: string, marker: string, attachmentBytes: number, of = whole) =>
  of.pipeline.mailer.sendMail({
    from: 'Ann <ann@sender.example>',
    to,
    subject: 'hi',
    text: `${marker} text`,
    attachments: [
      {
        filename: `${marker}.bin`,
        content: Buffer.concat([Buffer.from(marker), randomBytes(attachmentBytes)]),
      },
    ],
  });
const filesOf = (marker: string, of = whole) =>
  filesWith(dirname(of.pipeline.natsServer.logFile), marker);
const get = async (id: string, of = whole) =>
  (await of.api.ask('GET', `/v1/deliveries/${id}`)).body as {
    status: string;
    outcome: string;
    attempts: { error: string | null }[];
  };

test.each([
  ['small', 100],
  ['large', 1_500_000],
])('a %s email with links: webhook, retry, payload, files and replay', async (size, bytes) => {
  const path = `/${size}`;
  const { pipeline, api } = whole;
  pipeline.receiver.answer(path, (attempt) => (attempt === 1 ? 503 : 200));
  const marker = newMarker();
  const { address } = await whole.address(path, { payload: { raw: true, attachments: 'url' } });
  const inline = await whole.address(`${path}/inline`);
  await send(`${address}, ${inline.address}`, marker, bytes);

  const { payload } = await pipeline.receiver.nth(path, 2); // the retry
  expect(payload.content.text).toContain(`${marker} text`);
  expect(payload.attachments[0]?.filename).toBe(`${marker}.bin`);
  const link = async (url: unknown) => {
    const { pathname, search } = new URL(String(url));
    const response = await fetch(`${api.url}${pathname}${search}`);
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const raw = await link(payload.content.raw_url);
  expect([raw.status, raw.bytes.includes(`${marker} text`)]).toEqual([200, true]);
  const attachment = await link(payload.attachments[0]?.content_url);
  expect([attachment.status, attachment.bytes.byteLength]).toEqual([200, 27 + bytes]);
  expect(attachment.bytes.subarray(0, 27).toString()).toBe(marker);

  const { payload: whole_ } = await pipeline.receiver.nth(`${path}/inline`, 1);
  const content = Buffer.from(String(whole_.attachments[0]?.content), 'base64');
  expect(content.equals(attachment.bytes)).toBe(true);
  const id = whole_.event_id;
  await until('the outcome', async () => (await get(id)).status === 'delivered');
  const read = await api.ask('GET', `/v1/deliveries/${id}/payload`);
  expect(read).toMatchObject({ status: 200, body: { event_id: id } });
  expect((await api.ask('POST', `/v1/deliveries/${id}/replay`)).status).toBe(200);
  const { payload: replayed } = await pipeline.receiver.nth(`${path}/inline`, 2);
  expect({ ...replayed, metadata: 0 }).toEqual({ ...whole_, metadata: 0 });

  expect(await filesOf(marker)).toEqual([]);
});

test('an email whose key was deleted fails, says why, and stays encrypted', async () => {
  await using other = await startInProcess(SETTINGS, { withDispatcher: false });
  const marker = newMarker();
  const { address } = await other.address('/gone');
  await send(address, marker, 100, other);
  const { db } = other.pipeline.mongo;
  await eraseAccountKeys(db, other.api.account.id, new Date());
  await using dispatcher = await startDispatcher(
    readConfig(DispatcherConfig, other.pipeline.settings),
    log,
  );
  const record = await until('the end', () =>
    db.collection<{ _id: string; status: string }>('deliveries').findOne({ status: 'failed' }),
  );
  expect(await get(record._id, other)).toMatchObject({
    status: 'failed',
    outcome: 'blocked',
    attempts: [
      {
        error: 'the content of the email cannot be decrypted: the key of its account was deleted',
      },
    ],
  });
  expect(other.pipeline.receiver.received('/gone')).toEqual([]);
  expect((await other.api.ask('GET', `/v1/deliveries/${record._id}/payload`)).status).toBe(404);
  expect(await filesOf(marker, other)).toEqual([]);
  void dispatcher;
});

test('a key that is missing: new email stays with its sender, stored email waits, and nothing is lost', async () => {
  await using other = await startInProcess(SETTINGS, { withDispatcher: false });
  const { address } = await other.address('/missing');
  await send(address, newMarker(), 100, other);
  await send(address, newMarker(), 1_500_000, other); // decrypted by a thread
  const { mongo, settings, receiver } = other.pipeline;
  const keys = mongo.db.collection<StoredAccountKey>(ACCOUNT_KEYS);
  const record = (await keys.findOneAndDelete({ _id: other.api.account.id }))!;
  await using gateway = await startGateway(readConfig(GatewayConfig, settings), log);
  const mailer = mailerOf(gateway);
  const late = { from: 'a@b.example', to: address, subject: 'late', text: 'late' };
  await expect(mailer.sendMail(late)).rejects.toThrow('451');
  expect(await keys.countDocuments()).toBe(0); // no other key replaces it

  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  await using _dispatcher = await startDispatcher(
    readConfig(DispatcherConfig, settings),
    createLog('error', {}, { write }),
  );
  await until('the log', () => lines.some((line) => line.includes('content_key.missing')));
  const { body } = await other.api.ask('GET', '/v1/deliveries?status=failed');
  expect(body).toMatchObject({ data: [] });
  await keys.insertOne(record);
  await mailer.sendMail(late);
  mailer.close();
  await receiver.nth('/missing', 3);
});

const mailerOf = (gateway: { announce: Record<string, unknown> }) =>
  createTransport({
    host: '127.0.0.1',
    port: Number(gateway.announce.smtp_port),
    ignoreTLS: true,
  });

test('emails that an earlier setting stored in clear are delivered next to encrypted ones', async () => {
  await using clear = await startInProcess(
    { ...SETTINGS, ENCRYPT_CONTENT: 'false' },
    { withDispatcher: false },
  );
  const marker = newMarker();
  const { address } = await clear.address('/mixed');
  await send(address, marker, 100, clear);
  expect(await filesOf(marker, clear)).not.toEqual([]); // the search finds what is there
  await using gateway = await startGateway(
    readConfig(GatewayConfig, { ...clear.pipeline.settings, ENCRYPT_CONTENT: 'true' }),
    log,
  );
  const mailer = mailerOf(gateway);
  const encrypted = newMarker();
  await mailer.sendMail({ from: 'a@b.example', to: address, subject: 'hi', text: encrypted });
  mailer.close();
  await using dispatcher = await startDispatcher(
    readConfig(DispatcherConfig, clear.pipeline.settings),
    log,
  );
  await clear.pipeline.receiver.nth('/mixed', 2);
  const texts = clear.pipeline.receiver
    .received('/mixed')
    .map(({ payload }) => payload.content.text);
  expect(texts.filter((text) => text?.includes(marker))).toHaveLength(1);
  expect(texts.filter((text) => text?.includes(encrypted))).toHaveLength(1);
  expect(await filesOf(encrypted, clear)).toEqual([]);
  void dispatcher;
});

test('without SECRET_KEYS a gateway refuses the setting, and says why', () => {
  const { SECRET_KEYS: _, ...settings } = whole.pipeline.settings;
  expect(() => readConfig(GatewayConfig, settings)).toThrow(
    'SECRET_KEYS: must be set with ENCRYPT_CONTENT: it encrypts the keys of accounts',
  );
  expect(readConfig(GatewayConfig, { ...settings, ENCRYPT_CONTENT: 'false' })).toBeTruthy();
});
