/**
 * The wire format of stream messages. The headers below are written out as text: they are what
 * version 0.1.0 stores, and later versions must still read them.
 */
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { expect, test } from 'vitest';

import {
  newMessage,
  readEvent,
  readRetryPlace,
  writeHeaders,
  writeRetryHeaders,
} from '../../../../services/adapters/stream/events/wire.ts';
import { type MailEvent } from '../../../../services/core/delivery/mail-event.ts';
import { INLINE_PAYLOAD_MAX_BYTES } from '../../../../services/core/mail/mail-size.ts';

const EVENT: MailEvent = {
  event_id: 'evt_01',
  account_id: 'acc_1',
  environment: 'live',
  address_id: 'addr_1',
  mail_from: 'ann@sender.example',
  from: 'Ann <ann@sender.example>',
  subject: 'Grüße 🎉\u2028',
  size_bytes: 1,
  received_at_ms: 1_700_000_000_000,
  payload_bytes: 2,
  payload_in: 'message',
};
const EVENT_TEXT = [
  '{"event_id":"evt_01","account_id":"acc_1","environment":"live","address_id":"addr_1",',
  '"mail_from":"ann@sender.example","from":"Ann <ann@sender.example>",',
  String.raw`"subject":"Gr\u00fc\u00dfe \ud83c\udf89\u2028",`,
  '"size_bytes":1,"received_at_ms":1700000000000,"payload_bytes":2,"payload_in":"message"}',
].join('');
const PLACE = {
  storedAt: { partition: 3, sequence: 17 },
  dueAt: new Date(1_700_000_060_000),
  revision: 0,
};

const textOf = (fields: Iterable<[string, string[]]>) =>
  Object.fromEntries([...fields].map(([name, values]) => [name, values.join()]));
const fieldsOf = (text: Record<string, string>) => {
  const fields = headers();
  for (const [name, value] of Object.entries(text)) fields.set(name, value);
  return fields;
};

test.each([
  ['MAIL and FAILED', writeHeaders(EVENT), { 'Inlet-Event': EVENT_TEXT }],
  [
    'RETRY',
    writeRetryHeaders(EVENT, PLACE),
    {
      'Inlet-Event': EVENT_TEXT,
      'Inlet-Due': '1700000060000',
      'Inlet-Stored-At': '{"partition":3,"sequence":17}',
    },
  ],
])('%s: headers are written and read in the format of 0.1.0', (_, written, text) => {
  expect(textOf(written)).toEqual(text);
  expect(readEvent(fieldsOf(text))).toEqual(EVENT);
});

test('the place of a retry is read from the format of 0.1.0', () => {
  const text = { 'Inlet-Due': '1700000060000', 'Inlet-Stored-At': '{"partition":3,"sequence":17}' };
  expect(readRetryPlace(fieldsOf(text))).toEqual(PLACE);
});

test.each([
  ['the null sender, without From and Subject', { mail_from: '', from: null, subject: null }],
  ['a quotation mark, a backslash and a line break', { subject: '"\\\r\n' }],
  ['a claim check', { payload_in: 'bucket', payload_bytes: 30_000_000 }],
  ['test mail', { environment: 'test' }],
] as const)('an event with %s is read as it was written', (_, changes) => {
  const event: MailEvent = { ...EVENT, ...changes };
  expect(readEvent(writeHeaders(event))).toEqual(event);
  const [, [value = '']] = [...writeHeaders(event)][0] ?? ['', []];
  expect(value).toMatch(/^[\x20-\x7e]*$/);
});

test('D300: an event with text that no database stores is read with U+FFFD there', () => {
  const written = writeHeaders({ ...EVENT, subject: 'a\ud83cb\0\u{1f600}', mail_from: '\0' });
  const read = { ...EVENT, subject: 'a\ufffdb\ufffd\u{1f600}', mail_from: '\ufffd' };
  expect(readEvent(written)).toEqual(read);
});

test.each<[string, MsgHdrs | undefined]>([
  ['no headers', undefined],
  ['no event', fieldsOf({ 'Inlet-Due': '1' })],
  ['an event that is not JSON', fieldsOf({ 'Inlet-Event': '{' })],
  ['an event without an id', fieldsOf({ 'Inlet-Event': '{}' })],
  ...Object.entries({
    event_id: 'evt_* .>',
    account_id: 7,
    address_id: '',
    environment: 'staging',
    mail_from: null,
    from: {},
    subject: 1,
    size_bytes: '1',
    received_at_ms: 'x',
    payload_bytes: -1,
    payload_in: 'disk',
    recipients: ['a@b.example', 1],
    verdict: null,
    email: { address_id: 'addr_1' },
  }).map(([field, value]): [string, MsgHdrs] => [
    `the ${field} ${JSON.stringify(value)}`,
    fieldsOf({ 'Inlet-Event': JSON.stringify({ ...EVENT, [field]: value }) }),
  ]),
])('a message with %s is not an event', (_, fields) => {
  expect(() => readEvent(fields)).toThrow(Error);
});

test('D35: the revision of a retry is read as it was written', () => {
  const place = { ...PLACE, revision: 3 };
  expect(readRetryPlace(writeRetryHeaders(EVENT, place))).toEqual(place);
});

test('a retry without a first place is an error; without a due time it is due now', () => {
  expect(() => readRetryPlace(fieldsOf({ 'Inlet-Due': '1' }))).toThrow(Error);
  expect(readRetryPlace(fieldsOf({ 'Inlet-Stored-At': '{"partition":0,"sequence":1}' }))).toEqual({
    storedAt: { partition: 0, sequence: 1 },
    dueAt: new Date(0),
    revision: 0,
  });
});

test.each([
  [INLINE_PAYLOAD_MAX_BYTES, 'message', INLINE_PAYLOAD_MAX_BYTES],
  [INLINE_PAYLOAD_MAX_BYTES + 1, 'bucket', 0],
] as const)('a payload of %d bytes is stored in the %s', (bytes, place, bodyBytes) => {
  const { payload_bytes: _bytes, payload_in: _place, ...facts } = EVENT;
  const { event, body } = newMessage(facts, [Buffer.alloc(bytes)]);
  expect(event).toEqual({ ...facts, payload_bytes: bytes, payload_in: place });
  expect(body.length).toBe(bodyBytes);
});
