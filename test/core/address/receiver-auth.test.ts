/** Authentication to a receiver: what a request may contain, what is sent, and what is shown. */
import { expect, test } from 'vitest';

import {
  authHeaders,
  ReceiverAuth,
  receiverAuthView,
} from '../../../services/core/address/receiver-auth.ts';

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, 'v']));

test.each([
  ['a header', { headers: { 'X-Api-Key': 'k 1' } }],
  ['Authorization as a header', { headers: { Authorization: 'Bearer a.b.c' } }],
  ['HTTP Basic with other headers', { headers: { 'X-A': '1' }, basic: basic('ü', 'a:b') }],
  ['ten headers', { headers: many(10) }],
])('%s is accepted', (_, auth) => {
  expect(ReceiverAuth.safeParse(auth).success).toBe(true);
});

const RESERVED = [
  ['Host', 'content-type', 'Content-Length', 'CONNECTION', 'Transfer-Encoding', 'Keep-Alive'],
  ['webhook-id', 'Webhook-Signature', 'Svc-Signature', 'ce-id', 'traceparent', 'tracestate'],
  ['TE', 'Trailer', 'Upgrade', 'Expect', 'Proxy-Authorization', 'User-Agent'],
].flat();
const NO_NAMES = ['', 'a b', 'a:b', 'a\r\nb', 'ä', 'x'.repeat(65)];
const NO_VALUES = ['', ' a', 'a ', 'a\r\nX-B: c', 'a\n', 'a\tb', 'ü', '\u007f', 'x'.repeat(2049)];

test.each<[string, object]>([
  ...[...RESERVED, ...NO_NAMES].map((name): [string, object] => [
    `the header ${JSON.stringify(name)}`,
    { headers: { [name]: 'v' } },
  ]),
  ...NO_VALUES.map((value): [string, object] => [
    `the value ${JSON.stringify(value).slice(0, 20)}`,
    { headers: { a: value } },
  ]),
  ['a header twice', { headers: { 'X-A': '1', 'x-a': '2' } }],
  ['eleven headers', { headers: many(11) }],
  ['more than 4 KiB', { headers: { a: 'x'.repeat(2047), b: 'x'.repeat(2048) } }],
  ['two ways to authorize', { headers: { AUTHORIZATION: 'x' }, basic: basic('a', 'b') }],
  ['a user name with a colon', { basic: basic('a:b', 'c') }],
  ['a password with a line break', { basic: basic('a', 'b\n') }],
  ['an unknown way', { bearer: 'x' }],
])('%s is refused', (_, auth) => {
  expect(ReceiverAuth.safeParse(auth).success).toBe(false);
});

test('headers are sent in lower case, and Basic as RFC 7617 has it', () => {
  expect(authHeaders({ headers: { 'X-Key': 'v' }, basic: basic('test', '123£') })).toEqual({
    'x-key': 'v',
    authorization: 'Basic dGVzdDoxMjPCow==', // RFC 7617 §2.1
  });
  expect(authHeaders(undefined)).toEqual({});
});

test('the view has names only; without a part it is null', () => {
  expect(
    receiverAuthView({ headers: { 'X-Key': 'secret' }, basic: basic('me', 'secret') }),
  ).toEqual({
    headers: ['X-Key'],
    basic: { username: 'me' },
  });
  for (const none of [null, undefined, {}, { headers: {} }])
    expect(receiverAuthView(none)).toBeNull();
});

function basic(username: string, password: string) {
  return { username, password };
}
