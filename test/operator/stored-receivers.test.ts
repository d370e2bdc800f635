/** Receivers and domains of resources as MongoDB has them: other releases read the same bytes. */
import { expect, test } from 'vitest';

import { RECEIVER_AUTH_LABEL } from '../../services/core/kube/spec/receiver-auth-spec.ts';
import { address, manifest, receiver } from '../support/manifests.ts';
import { storedText } from '../support/stored-document.ts';
import { createNamespace } from './namespace.ts';
import { useOperator } from './operator-bed.ts';

const HOOK = 'https://hooks.example.com/more';

const shared = useOperator();

test('the stored documents of receivers and domains of resources', async () => {
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount();
  const seen: string[] = [];
  const see = async (collection: string) => {
    const texts = (await space.records(collection)).map(storedText).toSorted();
    seen.push(texts.join('\n').replaceAll(space.name, 'namespace'));
  };

  await space.settle(address('orders', HOOK), receiver('none', HOOK));
  space.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login', labels: { [RECEIVER_AUTH_LABEL]: 'true' } },
    data: { username: 'bWU=', password: 'eA==' },
  });
  const every = {
    description: 'Warehouse',
    enabled: false,
    payload: { attachments: 'omit', extract: ['codes'] },
    mode: 'push',
    when: 'spam.score < 5.0',
    format: 'cloudevents',
    signing: 'ed25519',
    auth: { basicSecretRef: { name: 'login' } },
  };
  await space.settle(receiver('every', HOOK, every));
  await space.settle(
    manifest('InboundReceiver', 'in-cluster', {
      addressRef: { name: 'orders' },
      service: { name: 'hooks', path: '/in' },
      caBundle: 'PEM',
    }),
  );
  await see('receivers');
  await space.settle(receiver('none', HOOK, { ...every, secretGeneration: 2 }));
  await space.settle(receiver('every', HOOK));
  await see('receivers');

  shared.bed.dns.set('stored.example', { txt: [], mx: [] });
  await space.settle(
    manifest('InboundDomain', 'own', { accountRef: { name: 'shop' }, domain: 'stored.example' }),
  );
  await see('domains');
  await expect(`${seen.join('\n\n')}\n`).toMatchFileSnapshot('stored-receivers.golden.txt');
});
