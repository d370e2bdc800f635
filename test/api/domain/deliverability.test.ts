/**
 * K.5: the deliverability of own domains: what the DNS and the mail servers say, the mode of
 * MTA-STS, and the policy that senders fetch.
 */
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

import { policyRecord, policyText } from '../../../services/core/deliverability/mta-sts.ts';
import { startTestDns } from '../../support/dns-server.ts';
import { type Ask, startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const MX = ['mx1.in.example', 'mx2.in.example'];

const dns = await useInFile(startTestDns());
const api = await useInFile(
  startTestApi({
    env: {
      DNS_SERVERS: dns.address,
      MX_HOSTS: MX.join(','),
      MX_CHECK: 'false',
    },
  }),
);

type Check = { kind: string; status: string; message: string; found: string[] };
type Domain = {
  id: string;
  domain: string;
  verification: { name: string; value: string };
  deliverability: { checked_at: string | null; checks: Check[] };
};

async function verified(domain: string, ask: Ask = {}): Promise<Domain> {
  const claimed = await api.ask('POST', '/v1/domains', { ...ask, body: { domain } });
  const { id, verification } = claimed.body as Domain;
  dns.set(verification.name, { TXT: [verification.value] });
  const answer = await api.ask('POST', `/v1/domains/${id}/verify`, ask);
  expect(answer.body).toMatchObject({ status: 'verified' });
  return answer.body as Domain;
}
const patch = (id: string, body: object) => api.ask('PATCH', `/v1/domains/${id}`, { body });
const statuses = ({ deliverability }: Domain) =>
  Object.fromEntries(deliverability.checks.map(({ kind, status }) => [kind, status]));

/** fetch() cannot set Host. */
async function policy(host: string, method = 'GET', path = '/.well-known/mta-sts.txt') {
  const sent = request({ port: api.port, path, method, headers: { host } });
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  sent.on('response', resolve).on('error', reject).end();
  const response = await promise;
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}

test('K.5: nothing but the two records is looked up before the verification', async () => {
  const { body } = await api.ask('POST', '/v1/domains', { body: { domain: 'early.example' } });
  const { id } = body as Domain;
  const { body: looked } = await api.ask('POST', `/v1/domains/${id}/verify`);
  expect(looked).toMatchObject({ mta_sts: 'none', deliverability: { checked_at: null } });
  expect(new Set(Object.values(statuses(looked as Domain)))).toEqual(new Set(['unknown']));
  expect(dns.requested.filter((question) => question.endsWith('early.example'))).toEqual(
    expect.not.arrayContaining(['TXT _dmarc.early.example']),
  );
});

test('K.5: a verification also finds the other records of the domain', async () => {
  dns.set('_dmarc.whole.example', { TXT: ['v=DMARC1; p=reject; rua=mailto:a@whole.example'] });
  dns.set('_smtp._tls.mail.whole.example', { TXT: ['v=TLSRPTv1; rua=mailto:a@whole.example'] });
  dns.set('mta-sts.mail.whole.example', { CNAME: 'api.in.example' });
  dns.set('api.in.example', { A: ['192.0.2.80'] });
  dns.set('_mta-sts.mail.whole.example', 'SERVFAIL');
  dns.set('mail.whole.example', { MX: [{ exchange: 'mx1.in.example', priority: 10 }] });
  const domain = await verified('mail.whole.example');
  expect(statuses(domain)).toEqual({
    mta_sts: 'unknown',
    mta_sts_host: 'off',
    tls_rpt: 'ok',
    dmarc: 'ok',
    mx_reachable: 'unknown',
    mx_certificate: 'unknown',
    dane: 'unknown',
  });
  const { checks, checked_at } = domain.deliverability;
  expect(checked_at).toEqual(expect.any(String));
  expect(checks.find(({ kind }) => kind === 'mx_reachable')).toMatchObject({
    message: expect.stringContaining('MX_CHECK'),
    found: ['mx1.in.example: not_checked'],
  });
  const { body } = await api.ask('GET', `/v1/domains/${domain.id}`);
  expect(body).toEqual(domain);
});

test('K.5: the mode changes the record to set and the policy that is served', async () => {
  const { id, domain } = await verified('policy.example');
  const host = `mta-sts.${domain}`;
  expect(await policy(host)).toMatchObject({
    status: 200,
    text: policyText('none', MX),
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'public, max-age=300',
    },
  });
  expect((await patch(id, { mta_sts: 'testing' })).body).toMatchObject({
    mta_sts: 'testing',
    deliverability: {
      checks: expect.arrayContaining([
        expect.objectContaining({
          kind: 'mta_sts',
          status: 'missing',
          record: { type: 'TXT', name: `_mta-sts.${domain}`, value: policyRecord('testing', MX) },
        }),
      ]),
    },
  });
  const { body } = await api.ask('GET', '/v1/usage/events?event_type=domain.updated');
  expect(body.data).toMatchObject([
    { data: { domain_id: id, domain, changed: { mta_sts: 'testing' } } },
  ]);

  const { id: other } = await verified('direct.example');
  await patch(other, { mta_sts: 'testing' });
  expect((await policy('MTA-STS.direct.example:443')).text).toBe(policyText('testing', MX));
  expect(await policy('mta-sts.direct.example', 'HEAD')).toMatchObject({ status: 200, text: '' });
  expect((await policy('mta-sts.direct.example', 'POST')).status).toBe(405);
});

test.each([
  'mta-sts.nobodys.example',
  'mta-sts.sub.policy.example',
  'policy.example',
  'mta-sts.',
  'mta-sts.x_y.example',
  `mta-sts.${'a'.repeat(300)}.example`,
  '127.0.0.1',
])('K.5: %s has no policy', async (host) => {
  expect((await policy(host)).status).toBe(404);
});

test('K.5: a claim that is not verified has no policy', async () => {
  const { body } = await api.ask('POST', '/v1/domains', { body: { domain: 'claimed.example' } });
  await patch(String(body.id), { mta_sts: 'testing' });
  expect((await policy('mta-sts.claimed.example')).status).toBe(404);
});

test('K.5: enforce is refused without a certificate that covers the MX hosts', async () => {
  const { id } = await verified('strict.example');
  expect(await patch(id, { mta_sts: 'enforce' })).toMatchObject({
    status: 409,
    body: {
      message: expect.stringContaining('certificate of the MX hosts'),
      details: { field: 'mta_sts', code: 'conflict' },
    },
  });
  expect((await patch(id, { mta_sts: 'always' })).status).toBe(422);
  expect((await patch(id, {})).body).toMatchObject({ mta_sts: 'none' });
  expect((await patch('dom_0', { mta_sts: 'none' })).status).toBe(404);
});
