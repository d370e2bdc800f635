/** Signed reply addresses (D57): vectors made with openssl, forgeries, and what a payload says. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';

import { EXAMPLE } from '../../../services/core/resource/api-reference.ts';
import {
  type CheckedTag,
  checkTag,
  isBoundTo,
  replyTag,
  withoutReplySignatures,
  withoutReplyTags,
} from '../../../services/core/reply/reply-address.ts';
import { acceptedReplyKeys, replyKey } from '../../../services/core/reply/reply-key.ts';
import { replyView } from '../../../services/core/reply/reply-view.ts';
import type { Authentication } from '../../../services/core/mail/authentication.ts';
import { EXAMPLE_PAYLOAD } from '../../../services/core/webhook/example.ts';
import { fc, runs } from '../../support/random.ts';

const ID = EXAMPLE.address_id;
const KEY = EXAMPLE.reply_key;
const EXPIRES = new Date('2026-12-21T08:00:00Z');
const NOW = new Date('2026-11-21T08:00:00Z');
const REPLY = { reference: 'ticket-42', expiresAt: EXPIRES };

/**
 * m() { printf '%s' "$1" | openssl dgst -sha256 -mac HMAC -macopt "key:$KEY" -binary |
 *   head -c "$2" | basenc --base32hex | tr 'A-V' 'a-v'; }
 * m "$ID|ticket-42|6b28dc80" 10
 * S=$(m "$ID|ticket-42|6b28dc80|ann@sender.example" 5); m "$ID|ticket-42|6b28dc80|$S" 10
 */
const VECTORS: [what: string, sender: string | undefined, tag: string][] = [
  ['for anybody', undefined, 'rticket-42.6b28dc80.kdo64c0c5i4vtib5'],
  ['bound', 'ann@sender.example', 'rticket-42.6b28dc80.jp1ln10o.q21b6oha15e4u45b'],
];

test.each(VECTORS)('the vector of openssl, %s', (_, sender, tag) => {
  expect(replyTag(KEY, ID, { ...REPLY, sender })).toBe(tag);
  expect(checkTag(tag.toUpperCase(), ID, [KEY], NOW)).toMatchObject({ status: 'valid', ...REPLY });
});

test('the key is HKDF-SHA256 of the key of the installation', () => {
  // openssl kdf -keylen 32 -kdfopt digest:SHA256 -kdfopt key:"$MASTER" -kdfopt salt:"$ID"
  //   -kdfopt info:'inlet reply key 1' -binary HKDF | base64
  const expected = Buffer.from('XIGUh6H0zFy+So6TcFtvtU5X9aW5Yzj6D0Ln+ZeArAs=', 'base64');
  expect(replyKey(Buffer.from('inlet example reply master 32 by'), ID, 1)).toBe(
    `rkey_${expected.toString('base64url')}`,
  );
});

const OTHER_KEY = `rkey_${randomBytes(32).toString('base64url')}`;
const TAG = replyTag(KEY, ID, REPLY);
const BOUND = replyTag(KEY, ID, { ...REPLY, sender: 'ann@sender.example' });

test.each<[what: string, tag: string | undefined, status: CheckedTag['status']]>([
  ['no tag', undefined, 'none'],
  ['another tag', 'billing', 'none'],
  ['another tag that begins with an r', 'r2d2', 'none'],
  ['a tag with one dot', 'release.1', 'none'],
  ['a reply address', TAG, 'valid'],
  ['one of another address', replyTag(KEY, 'addr_other', REPLY), 'invalid'],
  ['one of another key', replyTag(OTHER_KEY, ID, REPLY), 'invalid'],
  ['one that was cut', TAG.slice(0, -1), 'invalid'],
  ['one without its signature', 'rticket-42.6b28dc80.', 'invalid'],
  ['another reference', TAG.replace('42', '43'), 'invalid'],
  ['a later expiry', TAG.replace('6b28dc80', '7b28dc80'), 'invalid'],
  ['without its sender', BOUND.replace('.jp1ln10o', ''), 'invalid'],
  ['another sender', BOUND.replace('jp1ln10o', 'jp1ln10p'), 'invalid'],
  ['with the sender of another', TAG.replace('.kdo', '.jp1ln10o.kdo'), 'invalid'],
  ['expired', replyTag(KEY, ID, { ...REPLY, expiresAt: NOW }), 'expired'],
])('%s: %s is %s', (_, tag, status) => {
  expect(checkTag(tag, ID, [OTHER_KEY.replace('rkey', 'x'), KEY], NOW).status).toBe(status);
});

test('10,000 forged or expired tags are refused', () => {
  const digits = '0123456789abcdefghijklmnopqrstuv'.split('');
  const mac = fc.array(fc.constantFrom(...digits), { minLength: 16, maxLength: 16 });
  const reference = fc.stringMatching(/^[a-z0-9_-]{1,20}$/);
  const seconds = fc.integer({ min: 0, max: 0xffff_ffff });
  const genuine = fc.record({ reference, seconds, bound: fc.boolean() }).map((made) => ({
    ...made,
    tag: replyTag(KEY, ID, {
      reference: made.reference,
      expiresAt: new Date(made.seconds * 1000),
      sender: made.bound ? 'ann@sender.example' : undefined,
    }),
  }));
  const tags = fc.oneof(
    // a signature at random
    fc
      .tuple(reference, mac)
      .map(([text, drawn]) => ({ tag: `r${text}.6b28dc80.${drawn.join('')}`, now: NOW })),
    // one character of a genuine one changed
    fc
      .tuple(genuine, fc.nat(), fc.constantFrom(...digits, '.', '-'))
      .filter(([{ tag }, at, digit]) => tag[1 + (at % (tag.length - 1))] !== digit)
      .map(([{ tag }, at, digit]) => {
        const place = 1 + (at % (tag.length - 1));
        return { tag: tag.slice(0, place) + digit + tag.slice(place + 1), now: new Date(0) };
      }),
    // expired
    genuine.map(({ tag, seconds: expiry }) => ({ tag, now: new Date(expiry * 1000) })),
  );
  fc.assert(
    fc.property(tags, ({ tag, now }) => {
      expect(checkTag(tag, ID, [KEY], now).status).not.toBe('valid');
    }),
    { ...runs(10_000), numRuns: 10_000 },
  );
});

test('a rotation: both keys are accepted until the end of the overlap, of every installation key', () => {
  const masters = [randomBytes(32), randomBytes(32)];
  const generations = { generation: 2, former: [{ generation: 1, valid_until: EXPIRES }] };
  const accepted = (now: Date) => acceptedReplyKeys(masters, ID, generations, now);
  expect(accepted(NOW)).toEqual(
    masters.flatMap((key) => [replyKey(key, ID, 2), replyKey(key, ID, 1)]),
  );
  expect(accepted(EXPIRES)).toEqual(masters.map((key) => replyKey(key, ID, 2)));
  expect(replyKey(masters[0] as Buffer, 'addr_other', 1)).not.toBe(accepted(NOW)[1]);
});

const { authentication: AUTHENTICATION, headers: HEADERS } = EXAMPLE_PAYLOAD;
const dmarc = (change: Partial<Authentication['dmarc']>): Authentication => {
  if (AUTHENTICATION === null) throw new Error('the example is authenticated');
  return { ...AUTHENTICATION, dmarc: { ...AUTHENTICATION.dmarc, ...change } };
};
const from = (text: string) => ({ from: text, all: [{ name: 'From', value: text }] });

test.each<[what: string, sender: string, of: Partial<Parameters<typeof replyView>[1]>]>([
  ['the sender, with DMARC', 'bound', {}],
  ['another author of its domain', 'other', { headers: from('Bob <bob@sender.example>') }],
  ['two authors', 'other', { headers: from('ann@sender.example, bob@sender.example') }],
  ['the sender in a name', 'other', { headers: from('"ann@sender.example" <x@sender.example>') }],
  ['DMARC fails', 'other', { authentication: dmarc({ result: 'fail' }) }],
  ['DMARC read another domain', 'other', { authentication: dmarc({ domain: 'other.example' }) }],
  [
    'an aligned DKIM signature without DMARC',
    'other',
    { authentication: dmarc({ result: 'none' }) },
  ],
  ['nobody authenticates', 'other', { authentication: undefined }],
])('a bound reply: %s is %s', (_, sender, changes) => {
  const tag = checkTag(BOUND, ID, [KEY], NOW);
  const author = { headers: HEADERS, authentication: dmarc({}), ...changes };
  expect(replyView(tag, author, NOW)).toEqual({
    status: 'valid',
    reference: 'ticket-42',
    expires_at: '2026-12-21T08:00:00Z',
    sender,
  });
});

test('a payload: for anybody, expired since RCPT, and without a reference of a forgery', () => {
  const author = { headers: HEADERS, authentication: dmarc({}) };
  expect(replyView(checkTag(TAG, ID, [KEY], NOW), author, NOW).sender).toBe('unbound');
  expect(replyView(checkTag(TAG, ID, [KEY], NOW), author, EXPIRES).status).toBe('expired');
  const nothing = { reference: null, expires_at: null, sender: null };
  expect(replyView({ status: 'invalid' }, author, NOW)).toEqual({ status: 'invalid', ...nothing });
  expect(replyView({ status: 'none' }, author, NOW)).toEqual({ status: 'none', ...nothing });
});

test('a bound one is bound to no other sender', () => {
  const tag = checkTag(BOUND, ID, [KEY], NOW);
  if (!('bound' in tag) || tag.bound === undefined) throw new Error('bound');
  expect(isBoundTo(tag.bound, 'ann@sender.example')).toBe(true);
  expect(isBoundTo(tag.bound, 'bob@sender.example')).toBe(false);
});

test.each([
  [`box+${TAG}@in.example`, 'box+rticket-42@in.example'],
  [
    `"Box" <box+${BOUND.toUpperCase()}@in.example>, ann@x.example`,
    '"Box" <box+RTICKET-42@in.example>, ann@x.example',
  ],
  [TAG, 'rticket-42'],
  [`box+${TAG.slice(0, -2)}`, 'box+rticket-42'],
  ['box+billing@in.example', 'box+billing@in.example'],
  ['order.7@in.example', 'order.7@in.example'],
])('a record shows %s as %s', (text, shown) => {
  expect(withoutReplySignatures(text)).toBe(shown);
});

test.each([
  [`box+${TAG}@in.example`, 'box+rticket-42@in.example'],
  [`box+${BOUND.toUpperCase()}@in.example, a+r@x`, 'box+RTICKET-42@in.example, a+r*@x'],
  [`box+${TAG.slice(0, -2)}`, 'box+rticket-42'],
  ...['|', '_', '-', '=2E', ' ', ',', '..', '.x.'].map((other): [string, string] => [
    `box+${TAG.replaceAll('.', other)}@in.example`,
    'box+r*@in.example',
  ]),
  [`box+${TAG}.${TAG}@in.example`, 'box+r*@in.example'],
  [`box+${TAG}x@in.example`, 'box+r*@in.example'],
  ['box+returns@in.example', 'box+r*@in.example'],
  ['box+billing@in.example', 'box+billing@in.example'],
])('a record of an address with reply addresses shows %s as %s', (text, shown) => {
  expect(withoutReplyTags(text)).toBe(shown);
});
