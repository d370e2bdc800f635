/** K.5: what the records of a domain and the answers of its mail servers mean. */
import { describe, expect, test } from 'vitest';

import {
  type CheckFacts,
  type DeliverabilityCheck,
  deliverabilityChecks,
} from '../../../services/core/deliverability/checks.ts';
import {
  type DeliverabilityFacts,
  keptTexts,
  type MxAnswer,
} from '../../../services/core/deliverability/deliverability-facts.ts';
import { policyRecord } from '../../../services/core/deliverability/mta-sts.ts';

const MX = ['mx1.in.example', 'mx2.in.example'];
const found = (fields: Partial<DeliverabilityFacts> = {}): DeliverabilityFacts => ({
  checked_at: new Date(0),
  mta_sts: [],
  mta_sts_host: [],
  tls_rpt: [],
  dmarc: [],
  dmarc_name: '_dmarc.shop.example',
  mx: [],
  ...fields,
});
const check = (
  kind: DeliverabilityCheck['kind'],
  fields: Partial<DeliverabilityFacts>,
  facts: Partial<CheckFacts> = {},
): DeliverabilityCheck => {
  const checks = deliverabilityChecks({
    domain: 'shop.example',
    isVerified: true,
    mode: 'testing',
    mxHosts: MX,
    aliasTarget: 'api.in.example',
    found: found(fields),
    ...facts,
  });
  const one = checks.find((each) => each.kind === kind);
  if (one === undefined) throw new Error(kind);
  return one;
};
const answer = (fields: Partial<MxAnswer>): MxAnswer => ({
  host: 'mx1.in.example',
  outcome: 'greeted',
  tls: 'valid',
  detail: null,
  ...fields,
});

describe('K.5: TXT records', () => {
  test.each<[string, DeliverabilityCheck['kind'], Partial<DeliverabilityFacts>, string]>([
    ['the present policy', 'mta_sts', { mta_sts: [policyRecord('testing', MX)] }, 'ok'],
    ['no policy', 'mta_sts', { mta_sts: ['other'] }, 'missing'],
    ['an earlier policy', 'mta_sts', { mta_sts: [policyRecord('enforce', MX)] }, 'wrong'],
    ['two policies', 'mta_sts', { mta_sts: ['v=STSv1; id=1;', 'v=STSv1; id=2;'] }, 'wrong'],
    ['a silent DNS', 'mta_sts', { mta_sts: null }, 'unknown'],
    ['an address of the host', 'mta_sts_host', { mta_sts_host: ['192.0.2.1'] }, 'ok'],
    ['no address of the host', 'mta_sts_host', {}, 'missing'],
    ['TLS reports', 'tls_rpt', { tls_rpt: ['v=TLSRPTv1;rua=mailto:a@b.example'] }, 'ok'],
    ['no TLS reports', 'tls_rpt', { tls_rpt: ['v=spf1 -all'] }, 'missing'],
    ['TLS reports to nobody', 'tls_rpt', { tls_rpt: ['v=TLSRPTv1; rua=ftp://x'] }, 'wrong'],
    ['two records', 'tls_rpt', { tls_rpt: ['v=TLSRPTv1;', 'v=TLSRPTv1;'] }, 'wrong'],
    ['DMARC', 'dmarc', { dmarc: ['v=DMARC1; p=reject; rua=mailto:a@b.example'] }, 'ok'],
    ['no DMARC', 'dmarc', { dmarc: ['v=DMARC10'] }, 'missing'],
    ['DMARC without a policy', 'dmarc', { dmarc: ['v=DMARC1; rua=mailto:a@b.example'] }, 'wrong'],
    ['two DMARC records', 'dmarc', { dmarc: ['v=DMARC1; p=none', 'v=DMARC1; p=none'] }, 'wrong'],
  ])('%s', (_, kind, fields, status) => {
    expect(check(kind, fields)).toMatchObject({ status, message: expect.any(String) });
  });

  test('each has the record to copy', () => {
    expect(
      deliverabilityChecks({
        domain: 'shop.example',
        isVerified: true,
        mode: 'enforce',
        mxHosts: MX,
        aliasTarget: 'api.in.example',
        found: undefined,
      }).map(({ record }) => record),
    ).toEqual([
      { type: 'TXT', name: '_mta-sts.shop.example', value: policyRecord('enforce', MX) },
      { type: 'CNAME', name: 'mta-sts.shop.example', value: 'api.in.example' },
      {
        type: 'TXT',
        name: '_smtp._tls.shop.example',
        value: 'v=TLSRPTv1; rua=mailto:reports@shop.example',
      },
      {
        type: 'TXT',
        name: '_dmarc.shop.example',
        value: 'v=DMARC1; p=none; rua=mailto:reports@shop.example',
      },
      null,
      null,
      null,
    ]);
  });

  test('without MTA-STS nothing is to be set for it, and a record that remains is wrong', () => {
    expect(check('mta_sts', {}, { mode: 'none' })).toMatchObject({ status: 'off', record: null });
    expect(check('mta_sts_host', {}, { mode: 'none' })).toMatchObject({
      status: 'off',
      record: null,
    });
    expect(check('mta_sts', { mta_sts: ['v=STSv1; id=1;'] }, { mode: 'none' }).status).toBe(
      'wrong',
    );
  });

  test('a DMARC record of a domain above applies', () => {
    const dmarc = check('dmarc', { dmarc: ['v=DMARC1; p=none'], dmarc_name: '_dmarc.example' });
    expect(dmarc).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('_dmarc.example applies'),
    });
  });

  test.each([true, false])(
    'nothing is known before the first check (verified: %s)',
    (isVerified) => {
      const checks = deliverabilityChecks({
        domain: 'shop.example',
        isVerified,
        mode: 'none',
        mxHosts: MX,
        aliasTarget: undefined,
        found: undefined,
      });
      expect(new Set(checks.map(({ status }) => status))).toEqual(new Set(['unknown']));
      expect(checks[0]?.message).toMatch(isVerified ? /Not checked yet/ : /after the domain/);
    },
  );

  test('few and short texts are stored, records of the kind first', () => {
    const texts = Array.from({ length: 1_000 }, (_, i) => `${'x'.repeat(2_000)}${i}`);
    const kept = keptTexts([...texts, 'v=STSv1; id=1;'], 'v=STSv1');
    expect(kept.map(({ length }) => length)).toEqual([14, 500, 500, 500, 500]);
  });
});

describe('K.5: mail servers', () => {
  test.each<[MxAnswer['outcome'], string]>([
    ['greeted', 'ok'],
    ['no_address', 'wrong'],
    ['no_greeting', 'wrong'],
    ['refused', 'wrong'],
    ['no_response', 'unknown'],
    ['not_public', 'unknown'],
    ['not_checked', 'unknown'],
  ])('%s is %s, also when another one answers', (outcome, status) => {
    const mx = [answer({}), answer({ host: 'mx2.in.example', outcome, tls: 'not_checked' })];
    expect(check('mx_reachable', { mx }).status).toBe(status);
  });

  test('a blocked port is not taken for a fault of the server', () => {
    const { message } = check('mx_reachable', { mx: [answer({ outcome: 'no_response' })] });
    expect(message).toContain('Many clouds and network policies block');
  });

  test.each<[MxAnswer['tls'], string]>([
    ['valid', 'ok'],
    ['invalid', 'wrong'],
    ['not_offered', 'missing'],
    ['not_checked', 'unknown'],
  ])('a certificate that is %s is %s', (tls, status) => {
    expect(check('mx_certificate', { mx: [answer({}), answer({ tls })] }).status).toBe(status);
  });

  test('a domain without MX records has no mail server', () => {
    expect(check('mx_reachable', {}).status).toBe('missing');
    expect(check('mx_certificate', {}).status).toBe('unknown');
  });
});
