/** What an InboundReceiver takes from Secrets, and when it takes nothing. */
import { expect, test } from 'vitest';

import {
  RECEIVER_AUTH_LABEL,
  ReceiverAuthSpec,
  referencedAuth,
  type ReferencedSecret,
} from '../../../services/core/kube/spec/receiver-auth-spec.ts';

const secret = (content: Record<string, string>): ReferencedSecret => ({
  labels: { [RECEIVER_AUTH_LABEL]: 'true' },
  content,
});
const SECRETS = new Map([
  ['headers', secret({ 'X-Api-Key': 'k' })],
  ['basic', secret({ username: 'me', password: 'p' })],
  ['client', secret({ client_id: 'id', client_secret: 's' })],
  ['reserved', secret({ Host: 'secret-value' })],
  ['empty', secret({})],
  ['unlabelled', { ...secret({ username: 'me', password: 'p' }), labels: {} }],
  ['refused', { ...secret({}), labels: { [RECEIVER_AUTH_LABEL]: 'false' } }],
]);
const of = (spec: object) => referencedAuth(ReceiverAuthSpec.parse(spec), SECRETS, []);
const oauth2 = (fields: object = {}) => ({
  oauth2: { tokenUrl: 'https://login.example.com/t', secretRef: { name: 'client' }, ...fields },
});

test('headers, HTTP Basic and OAuth 2.0', () => {
  expect(of({ headersSecretRef: { name: 'headers' }, basicSecretRef: { name: 'basic' } })).toEqual({
    auth: { headers: { 'X-Api-Key': 'k' }, basic: { username: 'me', password: 'p' } },
  });
  expect(of(oauth2({ scope: 'a b', clientAuth: 'post' }))).toEqual({
    auth: {
      oauth2: {
        token_url: 'https://login.example.com/t',
        client_id: 'id',
        client_secret: 's',
        scope: 'a b',
        client_auth: 'post',
      },
    },
  });
  expect(referencedAuth(undefined, SECRETS, [])).toEqual({ auth: null });
});

test.each<[string, object, RegExp]>([
  ['does not exist', { basicSecretRef: { name: 'nowhere' } }, /nowhere does not exist/],
  ['has no label', { basicSecretRef: { name: 'unlabelled' } }, /does not have the label/],
  ['has the label with another value', { basicSecretRef: { name: 'refused' } }, /label/],
  ['lacks a key', { basicSecretRef: { name: 'empty' } }, /auth\.basic\.username/],
  ['has a reserved header', { headersSecretRef: { name: 'reserved' } }, /auth\.headers/],
  ['has no certificate', { tlsSecretRef: { name: 'empty' } }, /auth\.client_certificate/],
  [
    'has a private token URL',
    oauth2({ tokenUrl: 'https://10.0.0.1/' }),
    /must be publicly reachable/,
  ],
])('a Secret that %s is refused, without its content', (_, spec, refusal) => {
  const found = of(spec);
  expect(found).toEqual({ refusal: expect.stringMatching(refusal) as string });
  expect(JSON.stringify(found)).not.toContain('secret-value');
});
