/** Which DNS hosts are offered, and what they may answer (X.6). The hosts are fakes. */
import { Readable } from 'node:stream';

import { expect, test } from 'vitest';

import { createDiscoverHost } from '../../services/adapters/domain-connect/discover.ts';

const SETTINGS = 'https://connect.dns.example/v2/example.com/settings';
const TEMPLATE =
  'https://api.dns.example/v2/domainTemplates/providers/inlet.example.org/services/inbound';
const HOST = {
  providerId: 'dns.example',
  providerName: 'DNS',
  urlSyncUX: 'https://ux.dns.example/',
  urlAPI: 'https://api.dns.example',
};
type Response = { status: number; body?: string | Readable };

function hostWith(responses: Record<string, Response>, name = '_domainconnect.example.com') {
  const requested: string[] = [];
  const discover = createDiscoverHost({
    dns: {
      find: (async (of: string) => {
        if (of !== name) throw new Error('SERVFAIL');
        return [['connect.dns', '.example']];
      }) as never,
    },
    http: {
      get: async (url) => {
        requested.push(url);
        const found = responses[url];
        if (found === undefined) throw new Error('no response');
        const { status, body = '' } = found;
        return {
          status,
          body: typeof body === 'string' ? Readable.from([Buffer.from(body)]) : body,
        };
      },
    },
  });
  return { requested, discover: (domain: string) => discover(domain, 'inlet.example.org') };
}
const settings = (fields: object = {}): Response => ({
  status: 200,
  body: JSON.stringify({ ...HOST, ...fields }),
});

test('a host that knows the template is found from a subdomain', async () => {
  const { requested, discover } = hostWith({ [SETTINGS]: settings(), [TEMPLATE]: { status: 200 } });
  expect(await discover('a.mail.example.com')).toEqual({
    zone: 'example.com',
    host: { ...HOST, urlSyncUX: 'https://ux.dns.example' },
  });
  expect(requested).toEqual([SETTINGS, TEMPLATE]);
});

test.each<[string, Record<string, Response>]>([
  ['does not know the template', { [SETTINGS]: settings(), [TEMPLATE]: { status: 404 } }],
  ['has only the asynchronous flow', { [SETTINGS]: settings({ urlSyncUX: undefined }) }],
  ['does not know the zone', { [SETTINGS]: { status: 404, body: '{}' } }],
  ['answers with HTML', { [SETTINGS]: { status: 200, body: '<html>' } }],
  ['leads to plain HTTP', { [SETTINGS]: settings({ urlSyncUX: 'http://ux.dns.example' }) }],
  ['does not answer', {}],
])('no host: it %s', async (_, responses) => {
  expect(await hostWith(responses).discover('example.com')).toBeUndefined();
});

test('a host that sends without end is left after 16 KiB', async () => {
  let sent = 0;
  const endless = new Readable({
    read() {
      sent += 4_096;
      this.push(Buffer.alloc(4_096, ' '));
    },
  });
  const { discover } = hostWith({ [SETTINGS]: { status: 200, body: endless } });
  expect(await discover('example.com')).toBeUndefined();
  expect(endless.destroyed).toBe(true);
  expect(sent).toBeLessThan(200_000);
});

test('without the record nobody is asked', async () => {
  const { requested, discover } = hostWith(
    { [SETTINGS]: settings() },
    '_domainconnect.other.example',
  );
  expect(await discover('example.com')).toBeUndefined();
  expect(requested).toEqual([]);
});
