/** The cache of cluster objects while the API server does not respond; lists.test.ts has the rest. */
import { expect, test } from 'vitest';

import type { Kube, KubeObject } from '../../../services/adapters/kube/client.ts';
import { type Change, startObjectCache } from '../../../services/adapters/kube/watch.ts';
import { createLog } from '../../../services/adapters/process/log.ts';

const never = () => new Promise<never>(() => undefined);
const object = (uid: string, resourceVersion: string): KubeObject => ({
  metadata: { namespace: 'shop', name: 'orders', uid, resourceVersion },
});

test.each([
  ['of the same object', object('1', '9')],
  [
    'of a former object with that name, which was deleted and created again meanwhile',
    object('0', '9'),
  ],
])('a late response %s replaces nothing newer', (_, late) => {
  const changes: Change<KubeObject>[] = [];
  const watched = {
    resource: { group: '', version: 'v1', plural: 'secrets' },
    namespace: undefined,
    watchMs: 1_000,
    relistMs: 1_000,
  };
  const cache = startObjectCache(
    { list: never } as unknown as Kube,
    watched,
    (change) => changes.push(change),
    createLog('silent'),
  );
  const now = object('1', '10');
  cache.put(now);
  cache.put(late);
  expect([cache.get('shop', 'orders'), changes.length]).toEqual([now, 1]);
});
