/** X.7: what TLSA records say about a certificate (RFC 6698 §2.1, RFC 7672 §3.1). */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';

import {
  daneCheck,
  daneLine,
  daneOutcome,
  type TlsaRecord,
  tlsaToSet,
  tlsaValue,
} from '../../../services/core/deliverability/dane.ts';
import type { MxAnswer } from '../../../services/core/deliverability/deliverability-facts.ts';

const presented = { certificate: Buffer.from('the certificate'), key: Buffer.from('the key') };
const of = (algorithm: string, bytes: Uint8Array) => createHash(algorithm).update(bytes).digest();
const record = (usage: number, selector: number, matching: number, data: Uint8Array) =>
  ({ usage, selector, matching, data }) satisfies TlsaRecord;
const right = record(3, 1, 1, of('sha256', presented.key));
const other = record(3, 1, 1, of('sha256', Buffer.from('the next key')));

test.each<[string, TlsaRecord[] | null, string]>([
  ['no answer of the DNS', null, 'not_checked'],
  ['no record', [], 'none'],
  ['SHA-256 of the key', [right], 'matches'],
  ['this key and the next one', [other, right], 'matches'],
  ['SHA-512 of the key', [record(3, 1, 2, of('sha512', presented.key))], 'matches'],
  ['SHA-256 of the certificate', [record(3, 0, 1, of('sha256', presented.certificate))], 'matches'],
  ['the whole key', [record(3, 1, 0, presented.key)], 'matches'],
  ['the next key alone', [other], 'differs'],
  ['the hash of the certificate as that of the key', [record(3, 0, 1, right.data)], 'differs'],
  ['an authority', [record(2, 1, 1, right.data)], 'not_checked'],
  ['an authority and this key', [record(2, 1, 1, other.data), right], 'matches'],
  ['usages of the web', [record(1, 1, 1, right.data), record(0, 1, 1, right.data)], 'unusable'],
  ['an unknown hash', [record(3, 1, 9, right.data)], 'unusable'],
])('X.7: %s', (_, records, outcome) => {
  expect(daneOutcome(records, presented)).toBe(outcome);
});

test('X.7: records of a server without TLS keep senders with DANE away', () => {
  expect([daneOutcome([right], undefined), daneOutcome([], undefined)]).toEqual([
    'differs',
    'none',
  ]);
});

const answer = (host: string, outcome?: NonNullable<MxAnswer['dane']>['outcome']): MxAnswer => ({
  host,
  outcome: 'greeted',
  tls: 'valid',
  detail: null,
  ...(outcome && { dane: { outcome, value: tlsaValue(presented) } }),
});

test.each<[string, MxAnswer[], string]>([
  ['all match', [answer('a', 'matches'), answer('b', 'matches')], 'ok'],
  ['one differs', [answer('a', 'matches'), answer('b', 'differs')], 'wrong'],
  ['one has none', [answer('a', 'none'), answer('b', 'matches')], 'missing'],
  ['none has any', [answer('a', 'none'), answer('b', 'none')], 'off'],
  ['an answer of a former release', [answer('a')], 'unknown'],
  ['no MX', [], 'missing'],
])('X.7: MX hosts: %s', (_, answers, status) => {
  expect(daneCheck(answers).status).toBe(status);
});

test('X.7: the record to set is that of the first host without it', () => {
  const value = tlsaValue(presented);
  expect(value).toMatch(/^3 1 1 [0-9a-f]{64}$/);
  expect(tlsaToSet([answer('a', 'matches'), answer('b', 'none')])).toEqual({
    name: '_25._tcp.b',
    value,
  });
  expect(tlsaToSet([answer('a', 'matches')])).toBeNull();
  expect(daneLine(answer('b', 'none'))).toBe(`b: none (_25._tcp.b TLSA ${value})`);
});
