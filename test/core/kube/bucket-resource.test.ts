/** The steps that turn an AccountBucket resource into a bucket. */
import { expect, test } from 'vitest';

import type { Bucket } from '../../../services/core/bucket/bucket.ts';
import { type BucketFacts, bucketStep } from '../../../services/core/kube/bucket-resource.ts';
import {
  AccountBucketSpec,
  BUCKET_CREDENTIALS_LABEL,
  referencedCredentials,
} from '../../../services/core/kube/spec/bucket-spec.ts';
import type { ReferencedSecret } from '../../../services/core/kube/spec/receiver-auth-spec.ts';

const NOW = new Date('2026-11-22T12:00:00Z');
const CREDENTIALS = { access_key_id: 'id', secret_access_key: 'secret' };

const record = (fields: Partial<Bucket> = {}): Bucket => ({
  id: 'bkt_1',
  account_id: 'acc_1',
  environment: 'live',
  name: 'files',
  endpoint: 'https://s3.example.com',
  bucket: 'example-mail',
  region: 'us-east-1',
  prefix: '',
  addressing: 'path',
  description: null,
  ...CREDENTIALS,
  created_at: NOW,
  updated_at: NOW,
  ...fields,
});
const specOf = (fields: object = {}) =>
  AccountBucketSpec.parse({
    accountRef: { name: 'shop' },
    name: 'files',
    endpoint: 'https://s3.example.com/',
    bucket: 'example-mail',
    secretRef: { name: 'keys' },
    ...fields,
  });
const facts = ({
  spec = {},
  ...given
}: Omit<Partial<BucketFacts>, 'spec'> & { spec?: object } = {}): BucketFacts => ({
  spec: specOf(spec),
  accountId: 'acc_1',
  record: record(),
  credentials: { credentials: CREDENTIALS },
  allowedNetworks: [],
  ...given,
});
const settled = (reason: string) => ({ kind: 'settled', verdict: { reason } });
const other = { access_key_id: 'id', secret_access_key: 'other' };

test.each<[what: string, facts: BucketFacts, expected: object]>([
  ['one that agrees with its resource', facts(), settled('Ready')],
  ['no account', facts({ accountId: undefined }), settled('AccountNotReady')],
  [
    'an endpoint with a path',
    facts({ spec: { endpoint: 'https://s3.example.com/x' } }),
    settled('InvalidEndpoint'),
  ],
  [
    'a private endpoint',
    facts({ spec: { endpoint: 'https://169.254.169.254' } }),
    settled('InvalidEndpoint'),
  ],
  [
    'a Secret that cannot be used',
    facts({ credentials: { refusal: 'no label' } }),
    { kind: 'settled', verdict: { reason: 'CredentialsNotUsable', message: 'no label' } },
  ],
  [
    'none yet',
    facts({ record: undefined, spec: { region: 'auto', prefix: 'inlet/', addressing: 'host' } }),
    {
      kind: 'create',
      requested: {
        name: 'files',
        endpoint: 'https://s3.example.com',
        bucket: 'example-mail',
        region: 'auto',
        prefix: 'inlet/',
        addressing: 'host',
        description: null,
        credentials: CREDENTIALS,
      },
    },
  ],
  ['one of another account', facts({ accountId: 'acc_2' }), settled('NotOurs')],
  ['one of another environment', facts({ spec: { environment: 'test' } }), settled('NotOurs')],
  ['one of another name', facts({ record: record({ name: 'other' }) }), settled('NotOurs')],
])('%s', (_, given, expected) => {
  expect(bucketStep(given)).toMatchObject(expected);
});

test.each<[what: string, facts: BucketFacts, change: object]>([
  ['another prefix', facts({ spec: { prefix: 'mail/' } }), { prefix: 'mail/' }],
  ['no description', facts({ record: record({ description: 'x' }) }), { description: null }],
  ['other credentials', facts({ credentials: { credentials: other } }), { credentials: other }],
  [
    'another endpoint, which needs credentials (D51)',
    facts({ spec: { endpoint: 'https://s3.other.example' } }),
    { endpoint: 'https://s3.other.example', credentials: CREDENTIALS },
  ],
])('a change: %s', (_, given, change) => {
  expect(bucketStep(given)).toEqual({ kind: 'change', change });
});

const labels = { [BUCKET_CREDENTIALS_LABEL]: 'true' };
test.each<[what: string, secret: ReferencedSecret, expected: RegExp]>([
  ['no label', { labels: {}, content: CREDENTIALS }, /does not have the label/],
  ['no secret key', { labels, content: { access_key_id: 'id' } }, /^secret_access_key .*not exist/],
  [
    'a line break at the end',
    { labels, content: { ...CREDENTIALS, secret_access_key: 'secret\n' } },
    /^secret_access_key .*line breaks/,
  ],
])('a Secret with %s is refused, and its content not shown', (_, secret, expected) => {
  const read = referencedCredentials(specOf(), new Map([['keys', secret]]));
  if (!('refusal' in read)) throw new Error('it is not refused');
  expect(read.refusal).toMatch(expected);
  expect(read.refusal).not.toContain('secret\n');
});

test('credentials of a Secret; what else it holds is ignored', () => {
  const secret = { labels, content: { ...CREDENTIALS, more: 'x' } };
  expect(referencedCredentials(specOf(), new Map([['keys', secret]]))).toEqual({
    credentials: CREDENTIALS,
  });
  expect(referencedCredentials(specOf(), new Map())).toEqual({
    refusal: 'the Secret keys does not exist',
  });
});
