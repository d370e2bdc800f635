/** K.5: senders without a token cannot make an API process look up many policies. */
import type { Context } from 'koa';
import { expect, test } from 'vitest';

import { servePolicies } from '../../../services/api/domain/mta-sts-policy.ts';

const unused = () => Promise.resolve();

test('K.5: one source looks up eight policies at the same time, each once; another source has its own', async () => {
  const { promise, resolve } = Promise.withResolvers<'testing'>();
  const requested: string[] = [];
  const serve = servePolicies({
    domains: {
      mtaStsOf: (domain) => {
        requested.push(domain);
        return promise;
      },
    },
    mxHosts: ['mx.in.example'],
    proxies: { networks: [], hops: 1 },
  });
  const ask = async (host: string, remoteAddress = '192.0.2.1') => {
    const context = {
      path: '/.well-known/mta-sts.txt',
      method: 'GET',
      hostname: host,
      state: {},
      req: { socket: { remoteAddress }, headers: {} },
      set: () => undefined,
      body: '',
    };
    await serve(context as unknown as Context & Parameters<typeof serve>[0], unused);
    return context.body;
  };
  const hosts = Array.from({ length: 8 }, (_, i) => `mta-sts.shop${i}.example`);
  const bodies = Promise.all([...hosts, ...hosts].map((host) => ask(host)));
  await expect(ask('mta-sts.more.example')).rejects.toMatchObject({ kind: 'unavailable' });
  const ofOther = ask('mta-sts.more.example', '198.51.100.1');
  resolve('testing');
  expect(await ofOther).toContain('mode: testing');
  expect(new Set(await bodies).size).toBe(1);
  await ask('mta-sts.more.example');
  expect(requested).toHaveLength(9);
});
