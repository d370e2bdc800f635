/** K.5: senders without a token cannot make an API process look up many policies. */
import type { Context } from 'koa';
import { expect, test } from 'vitest';

import { servePolicies } from '../../../services/api/sites/mta-sts-policy.ts';

const unused = () => Promise.resolve();

test('K.5: eight policies are looked up at the same time, each once, and one more is refused', async () => {
  const { promise, resolve } = Promise.withResolvers<'testing'>();
  const asked: string[] = [];
  const serve = servePolicies({
    domains: {
      mtaStsOf: (domain) => {
        asked.push(domain);
        return promise;
      },
    },
    mxHosts: ['mx.in.example'],
  });
  const ask = async (host: string) => {
    const context = {
      path: '/.well-known/mta-sts.txt',
      method: 'GET',
      hostname: host,
      state: {},
      set: () => undefined,
      body: '',
    };
    await serve(context as unknown as Context & Parameters<typeof serve>[0], unused);
    return context.body;
  };
  const hosts = Array.from({ length: 8 }, (_, i) => `mta-sts.shop${i}.example`);
  const bodies = Promise.all([...hosts, ...hosts].map(ask));
  await expect(ask('mta-sts.more.example')).rejects.toMatchObject({ kind: 'unavailable' });
  resolve('testing');
  expect(new Set(await bodies).size).toBe(1);
  await ask('mta-sts.more.example');
  expect(asked).toHaveLength(9);
});
