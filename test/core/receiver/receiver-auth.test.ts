/** Authentication to a receiver: what a request may contain, what is sent, and what is shown. */
import { expect, test } from 'vitest';

import { accessToken, tokenError } from '../../../services/core/receiver/oauth-client.ts';
import {
  authHeaders,
  ReceiverAuth,
  receiverAuthView,
} from '../../../services/core/receiver/receiver-auth.ts';

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, 'v']));

test.each([
  ['a header', { headers: { 'X-Api-Key': 'k 1' } }],
  ['Authorization as a header', { headers: { Authorization: 'Bearer a.b.c' } }],
  ['HTTP Basic with other headers', { headers: { 'X-A': '1' }, basic: basic('ü', 'a:b') }],
  ['ten headers', { headers: many(10) }],
  ['OAuth 2.0 with headers', { headers: { 'X-A': '1' }, oauth2: oauth() }],
  [
    'OAuth 2.0 with all fields',
    { oauth2: oauth({ scope: 'a b:c', audience: 'x', client_auth: 'post' }) },
  ],
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
  ['Basic and OAuth 2.0', { basic: basic('a', 'b'), oauth2: oauth() }],
  ['Authorization and OAuth 2.0', { headers: { authorization: 'x' }, oauth2: oauth() }],
  ['a client secret with a line break', { oauth2: oauth({ client_secret: 'a\nb' }) }],
  ['a scope with two spaces', { oauth2: oauth({ scope: 'a  b' }) }],
  ['another way of the client', { oauth2: oauth({ client_auth: 'jwt' }) }],
  ['a certificate that is none', { client_certificate: { certificate: 'x', private_key: 'x' } }],
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
    oauth2: null,
    client_certificate: null,
  });
  for (const none of [null, undefined, {}, { headers: {} }])
    expect(receiverAuthView(none)).toBeNull();
});

const of = (response: object) => accessToken(JSON.stringify(response));

test('a token response: its lifetime, and what is no bearer token', () => {
  const granted = { access_token: 'a.b', token_type: 'bearer' };
  expect(of({ ...granted, expires_in: '60' })).toEqual({
    authorization: 'Bearer a.b',
    lifetimeMs: 60_000,
  });
  expect(of(granted)?.lifetimeMs).toBe(300_000);
  expect(of({ ...granted, expires_in: 1e12 })?.lifetimeMs).toBe(86_400_000);
  expect(of({ ...granted, expires_in: -1 })?.lifetimeMs).toBe(300_000);
  for (const token_type of ['Bearer', 'BearerToken', 'bearer_token', ' bearer', null, undefined])
    expect(of({ ...granted, token_type })?.authorization).toBe('Bearer a.b');
  expect(accessToken(`\ufeff${JSON.stringify(granted)}`)?.authorization).toBe('Bearer a.b');
  for (const other of [{ token_type: 'mac' }, { access_token: 'a\r\nb' }, { access_token: '' }])
    expect(of({ ...granted, ...other })).toBeUndefined();
  expect([accessToken(null), accessToken('<p>')]).toEqual([undefined, undefined]);
  expect(tokenError('{"error":"invalid_client","error_description":"secret"}')).toBe(
    'invalid_client',
  );
  expect(tokenError('{"error":"<script>"}')).toBeUndefined();
});

function basic(username: string, password: string) {
  return { username, password };
}

function oauth(fields: object = {}) {
  return { token_url: 'https://a.example/t', client_id: 'id', client_secret: 's', ...fields };
}
