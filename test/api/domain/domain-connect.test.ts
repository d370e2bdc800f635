/** GET /domains/{domain_id}/connect, and the template that an operator registers: X.6. */
import { generateKeyPairSync } from 'node:crypto';

import { expect, test } from 'vitest';

import { runCommand } from '../../support/inlet-command.ts';
import { startTestDns } from '../../support/dns-server.ts';
import { startTestApi, type TestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const DOMAIN_CONNECT_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
}) as string;
const DOMAIN_CONNECT_PROVIDER = 'inlet.example.org';

const dns = await useInFile(startTestDns());
const settings = { DNS_SERVERS: dns.address, MX_HOSTS: 'mx.in.example' };
const offering = await useInFile(
  startTestApi({ env: { ...settings, DOMAIN_CONNECT_PROVIDER, DOMAIN_CONNECT_KEY } }),
);
const without = await useInFile(startTestApi({ env: settings }));

const claim = async (api: TestApi, domain: string) =>
  (await api.ask('POST', '/v1/domains', { body: { domain } })).body as {
    id: string;
    can_connect: boolean;
  };

test('a DNS host that does not offer it: no link, and nothing else', async () => {
  const { id, can_connect } = await claim(offering, 'in.customer.example');
  expect(can_connect).toBe(true);
  expect(await offering.ask('GET', `/v1/domains/${id}/connect`)).toMatchObject({
    status: 200,
    body: { dns_host: null, url: null, replaces: [] },
  });
  const other = await offering.newAccount();
  const { token } = await offering.issue({ accountId: other.id });
  expect((await offering.ask('GET', `/v1/domains/${id}/connect`, { token })).status).toBe(404);
});

test('an installation without a provider does not offer it', async () => {
  const { id, can_connect } = await claim(without, 'in.customer.example');
  expect(can_connect).toBe(false);
  expect(await without.ask('GET', `/v1/domains/${id}/connect`)).toMatchObject({
    status: 409,
    body: { error: 'conflict', message: 'This installation does not offer Domain Connect' },
  });
  expect((await without.ask('GET', '/v1/domains/dom_unknown/connect')).status).toBe(404);
});

test('inlet admin prints the template and the records, without a database', async () => {
  const env = { INBOUND_DOMAIN: 'in.example', DOMAIN_CONNECT_PROVIDER, DOMAIN_CONNECT_KEY };
  const { code, out } = await runCommand(['admin', 'domain', 'connect-template'], { env });
  expect([code, JSON.parse(out)]).toEqual([
    0,
    {
      template_file: 'inlet.example.org.inbound.json',
      template: expect.objectContaining({ providerId: 'inlet.example.org' }) as unknown,
      dns: [
        {
          type: 'TXT',
          name: '_dck1.inlet.example.org',
          value: expect.stringMatching(/^p=1,a=RS256,d=/) as string,
        },
        {
          type: 'TXT',
          name: '_dck1.inlet.example.org',
          value: expect.stringMatching(/^p=2,a=RS256,d=/) as string,
        },
      ],
    },
  ]);
});

test.each([
  [{ DOMAIN_CONNECT_PROVIDER }, 'must be set together with DOMAIN_CONNECT_PROVIDER'],
  [
    { DOMAIN_CONNECT_PROVIDER, DOMAIN_CONNECT_KEY: 'secret-text' },
    'is not an RSA private key in PEM',
  ],
])('settings that are not whole are named without their values', async (env, message) => {
  const failed = await startTestApi({ env }).then(
    () => 'started',
    (error: Error) => error.message,
  );
  expect(failed).toContain(message);
  expect(failed).not.toContain('secret-text');
});
