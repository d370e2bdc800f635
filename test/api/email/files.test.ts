/** Payload settings of addresses, and the files behind links in payloads. */
import { Objm } from '@nats-io/obj';
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';

import { parseMail } from '../../../services/adapters/mime/parse.ts';
import { createObjects } from '../../../services/adapters/stream/objects/objects.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { connectNats } from '../../../services/adapters/stream/connection/connection.ts';
import {
  filePath,
  type LinkedFile,
  signedLink,
} from '../../../services/core/secret/signed-link.ts';
import {
  attachmentsFile,
  linkedAttachments,
} from '../../../services/core/webhook/linked-attachments.ts';
import { HOOK, startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const KEY = randomBytes(32);
const FORMER_KEY = randomBytes(32);
const RAW = [
  'From: ann@sender.example',
  'Subject: files',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/plain',
  '',
  'hello',
  '',
  '--b',
  'Content-Type: text/html',
  'Content-Disposition: attachment; filename="页 \\"1\\".html"',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from('<script>alert(1)</script>').toString('base64'),
  '',
  '--b',
  'Content-Type: application/octet-stream',
  'Content-Disposition: attachment',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from([0, 1, 255]).toString('base64'),
  '',
  '--b--',
  '',
].join('\r\n');

const api = await useInFile(
  startTestApi({
    env: {
      LINK_KEYS: [KEY, FORMER_KEY].map((key) => key.toString('base64')).join(','),
      PUBLIC_API_URL: 'https://api.example/v1/',
    },
  }),
);
const nats = await useInFile(
  connectNats({ url: api.natsServer.url, name: 'test' }, createLog('silent')),
);
const files = createObjects(await new Objm(nats.connection).create('RAW'));
const { attachments } = parseMail(Buffer.from(RAW));
await files.put('evt_1', [Buffer.from(RAW)]);
await files.put(attachmentsFile('evt_1'), linkedAttachments(attachments));
await files.put('evt_older', [Buffer.from(RAW)]);
await files.put(attachmentsFile('evt_damaged'), [Buffer.from('{')]);

const linkTo = (
  file: LinkedFile,
  { eventId = 'evt_1', expires = new Date(Date.now() + 60_000), key = KEY } = {},
) => signedLink({ baseUrl: `${api.url}/v1`, path: filePath(eventId, file), expires, key });

describe('links', () => {
  test('the raw email, byte for byte, as a file that no browser runs or caches', async () => {
    const response = await fetch(linkTo('raw'));
    expect([response.status, await response.text()]).toEqual([200, RAW]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'message/rfc822',
      'content-disposition': 'attachment; filename="evt_1.eml"',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; sandbox",
    });
  });

  test('an attachment with its own type and name', async () => {
    const response = await fetch(linkTo('attachments/0'));
    expect([response.status, await response.text()]).toEqual([200, '<script>alert(1)</script>']);
    expect(response.headers.get('content-type')).toBe('text/html');
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="? \\"1\\".html"; filename*=UTF-8\'\'%E9%A1%B5%20%221%22.html',
    );
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('an attachment without a name is named as in the payload', async () => {
    const response = await fetch(linkTo('attachments/1'));
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from([0, 1, 255]));
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="attachment-2"');
  });

  test('an attachment of an email that a gateway up to 0.1.0 stored', async () => {
    const response = await fetch(linkTo('attachments/1', { eventId: 'evt_older' }));
    expect(response.headers.get('content-length')).toBe('3');
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from([0, 1, 255]));
  });

  test('a link that a previous key signed still works', async () => {
    expect((await fetch(linkTo('raw', { key: FORMER_KEY }))).status).toBe(200);
  });

  test.each<[string, () => string, number, string]>([
    [
      'that has expired',
      () => linkTo('raw', { expires: new Date(Date.now() - 1_000) }),
      403,
      'forbidden',
    ],
    ['for another event', () => linkTo('raw').replace('evt_1', 'evt_2'), 403, 'forbidden'],
    ['for another file', () => linkTo('raw').replace('/raw', '/attachments/0'), 403, 'forbidden'],
    [
      'with a later expiry',
      () =>
        linkTo('raw').replace(
          /expires=(\d+)/,
          (_, seconds: string) => `expires=${Number(seconds) + 1}`,
        ),
      403,
      'forbidden',
    ],
    ['with an unknown key', () => linkTo('raw', { key: randomBytes(32) }), 403, 'forbidden'],
    [
      'without a signature',
      () => linkTo('raw').replace(/&signature=.*/, ''),
      422,
      'validation_failed',
    ],
    [
      'with a token instead',
      () => `${linkTo('raw').replace(/\?.*/, '')}?access_token=${api.token}`,
      422,
      'validation_failed',
    ],
    [
      'to an email that is no longer stored',
      () => linkTo('raw', { eventId: 'evt_gone' }),
      404,
      'not_found',
    ],
    [
      'to an attachment that the email does not have',
      () => linkTo('attachments/2'),
      404,
      'not_found',
    ],
    [
      'to attachments that are no longer stored',
      () => linkTo('attachments/0', { eventId: 'evt_gone' }),
      404,
      'not_found',
    ],
    [
      'to attachments that cannot be read',
      () => linkTo('attachments/0', { eventId: 'evt_damaged' }),
      503,
      'unavailable',
    ],
    [
      'to an invalid number',
      () => linkTo('attachments/0').replace('/0?', '/00?'),
      404,
      'not_found',
    ],
  ])('a link %s is refused', async (_, url, status, error) => {
    const response = await fetch(url());
    expect([response.status, await response.json()]).toMatchObject([status, { error }]);
  });
});

describe('payload settings', () => {
  test('the default is exactly the specification, for the gateway too', async () => {
    const { id, address, payload } = await api.create();
    expect(payload).toEqual({ attachments: 'inline', raw: false, extract: [], storage: null });
    expect((await api.ask('GET', `/v1/addresses/${id}`)).body).toMatchObject({ payload });
    expect(await api.byRecipient(address)).toMatchObject({ payload });
  });

  test('are set at creation and can be changed one by one', async () => {
    const { id, address } = await api.create({ payload: { attachments: 'url' } });
    const patch = (payload: object) =>
      api.ask('PATCH', `/v1/addresses/${id}`, { body: { payload } });
    expect(await api.byRecipient(address)).toMatchObject({
      payload: { attachments: 'url', raw: false },
    });
    expect(await patch({ raw: true })).toMatchObject({
      status: 200,
      body: { payload: { attachments: 'url', raw: true } },
    });
    expect(await patch({ attachments: 'omit' })).toMatchObject({
      status: 200,
      body: { payload: { attachments: 'omit', raw: true } },
    });
    expect(await patch({})).toMatchObject({
      status: 200,
      body: { payload: { attachments: 'omit', raw: true } },
    });
    expect(await api.byRecipient(address)).toMatchObject({
      payload: { attachments: 'omit', raw: true },
    });
  });

  test('D29: a change without effect does not change updated_at', async () => {
    const long = new Date('2026-01-01T00:00:00Z');
    const { id } = await api.store({
      created_at: long,
      updated_at: long,
      payload: { attachments: 'omit', raw: false, extract: [], storage: null },
    });
    expect(
      (
        await api.ask('PATCH', `/v1/addresses/${id}`, {
          body: { payload: { attachments: 'omit', raw: false } },
        })
      ).body,
    ).toMatchObject({ updated_at: '2026-01-01T00:00:00Z' });
  });

  test('spec 2.1: list items do not show them', async () => {
    await api.create({ payload: { attachments: 'omit' } });
    expect(JSON.stringify((await api.ask('GET', '/v1/addresses')).body)).not.toContain('payload');
  });

  test.each([
    [{ payload: 'omit' }, 'payload', 'invalid_type'],
    [{ payload: { attachments: 'none' } }, 'payload.attachments', 'invalid_value'],
    [{ payload: { raw: 'yes' } }, 'payload.raw', 'invalid_type'],
    [{ payload: { inline: true } }, 'payload.inline', 'unknown_field'],
  ])('D4: %j is 422', async (body, field, code) => {
    expect(
      await api.ask('POST', '/v1/addresses', { body: { webhook_url: HOOK, ...body } }),
    ).toMatchObject({ status: 422, body: { details: { field, code } } });
  });

  test('without LINK_KEYS, settings that need links are refused, and no link is valid', async () => {
    await using plain = await startTestApi();
    for (const [payload, status] of [
      [{ attachments: 'url' }, 422],
      [{ raw: true }, 422],
      [{ attachments: 'omit', raw: false }, 201],
    ] as const) {
      expect(
        (await plain.ask('POST', '/v1/addresses', { body: { webhook_url: HOOK, payload } })).status,
      ).toBe(status);
    }
    expect((await fetch(linkTo('raw').replace(api.url, plain.url))).status).toBe(403);
  });

  test('LINK_KEYS and PUBLIC_API_URL are set together', async () => {
    await expect(startTestApi({ env: { LINK_KEYS: KEY.toString('base64') } })).rejects.toThrow(
      'PUBLIC_API_URL: must be set',
    );
  });
});
