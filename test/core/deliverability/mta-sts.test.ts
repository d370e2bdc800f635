/** K.5: the MTA-STS policy of a domain, its id, and when `enforce` is refused. */
import { expect, test } from 'vitest';

import {
  aliasTarget,
  domainOfPolicyHost,
  policyId,
  policyRecord,
  policyText,
} from '../../../services/core/deliverability/mta-sts.ts';
import {
  enforceRefusal,
  type MxCertificate,
} from '../../../services/core/deliverability/mx-certificate.ts';

const MX = ['mx1.in.example', 'mx2.in.example'];

test('K.5: the text of a policy (RFC 8461 §3.2)', () => {
  expect(policyText('enforce', MX)).toBe(
    'version: STSv1\r\nmode: enforce\r\nmx: mx1.in.example\r\nmx: mx2.in.example\r\nmax_age: 604800\r\n',
  );
  expect(policyText('none', MX)).toBe('version: STSv1\r\nmode: none\r\nmax_age: 86400\r\n');
});

test('K.5: the id changes with the text', () => {
  const ids = [
    policyId(policyText('testing', MX)),
    policyId(policyText('enforce', MX)),
    policyId(policyText('enforce', ['mx3.in.example'])),
  ];
  expect(new Set(ids).size).toBe(3);
  expect(policyRecord('testing', MX)).toMatch(/^v=STSv1; id=[0-9a-f]{20};$/);
});

test.each([
  ['mta-sts.shop.example', 'shop.example'],
  ['shop.example', undefined],
  ['xmta-sts.shop.example', undefined],
])('the policy host %s is of %s', (host, domain) => {
  expect(domainOfPolicyHost(host)).toBe(domain);
});

test.each([
  ['https://api.in.example/v1', 'api.in.example'],
  ['http://127.0.0.1:8080/v1', undefined],
  ['http://[::1]:8080/v1', undefined],
  ['http://localhost/v1', undefined],
  [undefined, undefined],
])('the API at %s is the target %s', (url, target) => {
  expect(aliasTarget(url)).toBe(target);
});

const NOW = new Date('2026-03-08T12:00:00Z');
const certificate = (fields: Partial<MxCertificate> = {}): MxCertificate => ({
  names: MX,
  notAfter: new Date('2026-04-01T00:00:00Z'),
  isSelfSigned: false,
  ...fields,
});

test.each<[string, MxCertificate | undefined, string]>([
  ['every host', certificate(), 'undefined'],
  ['a wildcard', certificate({ names: ['*.in.example'] }), 'undefined'],
  ['one of two hosts', certificate({ names: ['mx1.in.example'] }), 'not cover mx2.in.example'],
  ['a wildcard for another label', certificate({ names: ['*.example'] }), 'not cover mx1'],
  ['no certificate', undefined, 'not known'],
  ['an expired one', certificate({ notAfter: NOW }), 'expired'],
  ['a self-signed one', certificate({ isSelfSigned: true }), 'self-signed'],
])('K.5: whether enforce is refused with %s', (_, given, refusal) => {
  expect(String(enforceRefusal(MX, given, NOW))).toContain(refusal);
});
