/** Resources that the API server itself refuses, before an operator sees them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { CHECKOUT } from '../docs/pages.ts';
import {
  account,
  address,
  bucket,
  manifest,
  type Manifest,
  senderList,
  token,
} from '../support/manifests.ts';
import { createNamespace, establishDefinitions, kubectl, type Namespace } from './kubectl.ts';

const HOOK = 'https://hooks.example.com/inbound';

let namespace: Namespace;
beforeAll(async () => {
  await establishDefinitions();
  namespace = await createNamespace();
});
afterAll(() => namespace?.[Symbol.asyncDispose]());

test.each<[what: string, manifest: Manifest, complaint: RegExp]>([
  ['an http URL', address('a', 'http://hooks.example.com/'), /must be an https URL/],
  [
    'a receiver without a URL',
    manifest('InboundReceiver', 'a', { addressRef: { name: 'orders' } }),
    /exactly one of url and service/,
  ],
  [
    'a URL with a password',
    address('a', 'https://user:pass@hooks.example.com/'),
    /no user and no fragment/,
  ],
  ['a URL with a fragment', address('a', `${HOOK}#x`), /no user and no fragment/],
  [
    'D9: a URL that is too long',
    address('a', `https://hooks.example.com/${'a'.repeat(2048)}`),
    /Too long/,
  ],
  [
    'D9: a description that is too long',
    address('a', HOOK, { description: 'x'.repeat(501) }),
    /Too long/,
  ],
  [
    'D6: ttlHours with permanent',
    address('a', HOOK, { ttlHours: 5, permanent: true }),
    /ttlHours contradicts permanent/,
  ],
  [
    'D6: ttlHours out of bounds',
    address('a', HOOK, { ttlHours: 8761 }),
    /should be less than or equal to 8760/,
  ],
  ['a local part with a space', address('a', HOOK, { localPart: 'a b' }), /must have no space/],
  ['a local part with a tag', address('a', HOOK, { localPart: 'a+b' }), /must have no space/],
  ['a Secret name with capitals', token('a', { secretName: 'Not_Valid' }), /name of a Secret/],
  ['an unknown field', address('a', HOOK, { webhookurl: HOOK }), /unknown field "spec.webhookurl"/],
  [
    'D11: an environment other than live and test',
    address('a', HOOK, { environment: 'staging' }),
    /Unsupported value: "staging"/,
  ],
  [
    'D10: an unknown permission',
    token('a', { permissions: ['addresses:admin'] }),
    /Unsupported value: "addresses:admin"/,
  ],
  [
    'a permission twice',
    token('a', { permissions: ['usage:read', 'usage:read'] }),
    /Duplicate value/,
  ],
  ['no permission at all', token('a', { permissions: [] }), /should have at least 1 items/],
  ['D9: a token name that is too long', token('a', { name: 'x'.repeat(101) }), /Too long/],
  [
    'D12: seven retries',
    account('a', { settings: { webhookRetryAttempts: 7 } }),
    /should be less than or equal to 6/,
  ],
  ['an owner without an email address', account('a', { email: 'nobody' }), /must be of type email/],
  ['a name that no expression can write', senderList('a-b', []), /spec.name: Invalid value/],
  [
    'more entries than a list may have',
    senderList(
      'a',
      Array.from({ length: 10_001 }, (_, at) => `a${at}.example`),
    ),
    /must have at most 10000 items/,
  ],
  ['a bucket without credentials', bucket('a', { secretRef: null }), /secretRef: Required value/],
  ['an endpoint in clear text', bucket('a', { endpoint: 'http://s3.example.com' }), /https URL/],
  ['a prefix that leaves its folder', bucket('a', { prefix: '../' }), /spec.prefix: Invalid value/],
  ['no account', manifest('ApiToken', 'a', {}), /accountRef: Required value/],
])('it refuses %s', async (_, refused, complaint) => {
  await expect(namespace.apply(refused)).rejects.toThrow(complaint);
});

describe('what cannot be changed', () => {
  beforeAll(async () => {
    await namespace.apply(
      address('kept', HOOK, { ttlHours: 5 }),
      address('plain', HOOK),
      token('kept'),
      senderList('kept', ['a.example']),
      bucket('kept'),
      manifest('InboundDomain', 'kept', { accountRef: { name: 'shop' }, domain: 'in.example.com' }),
    );
  });

  test.each([
    ['inboundaddress/kept', { accountRef: { name: 'other' } }, 'accountRef cannot be changed'],
    ['inboundaddress/kept', { environment: 'test' }, 'environment cannot be changed'],
    ['inboundaddress/kept', { ttlHours: 6 }, 'ttlHours cannot be changed'],
    ['inboundaddress/kept', { ttlHours: null }, 'ttlHours cannot be changed'],
    ['inboundaddress/plain', { localPart: 'sales' }, 'localPart cannot be changed'],
    ['inboundaddress/plain', { secretName: 'other' }, 'secretName cannot be changed'],
    ['inboundaddress/plain', { secretGeneration: 0 }, 'secretGeneration'],
    ['apitoken/kept', { environment: 'test' }, 'environment cannot be changed'],
    ['accountbucket/kept', { name: 'other' }, 'name cannot be changed'],
    ['senderlist/kept', { name: 'other' }, 'name cannot be changed'],
    ['inbounddomain/kept', { domain: 'other.example.com' }, 'domain cannot be changed'],
  ])('%s: %o', async (what, spec, complaint) => {
    await expect(namespace.patch(what, { spec })).rejects.toThrow(complaint);
  });

  test('other fields can be changed', async () => {
    await namespace.patch('inboundaddress/kept', {
      spec: { webhookUrl: `${HOOK}/2`, enabled: false, description: 'x', secretGeneration: 3 },
    });
    await expect(
      namespace.patch('inboundaddress/kept', { spec: { secretGeneration: 2 } }),
    ).rejects.toThrow('secretGeneration can only be increased');
  });
});

test('defaults are filled in, and users cannot write a status with the resource', async () => {
  await namespace.apply({ ...address('defaults', HOOK), status: { address: 'mine@example.com' } });
  const { spec, status } = (await namespace.get('inboundaddress/defaults')) ?? {};
  expect(spec).toEqual({
    accountRef: { name: 'shop' },
    webhookUrl: HOOK,
    webhookEnabled: true,
    format: 'inlet',
    signing: 'hmac',
    environment: 'live',
    enabled: true,
    secretGeneration: 1,
  });
  expect(status).toBeUndefined();
});

test('the API server accepts the examples in docs/custom-resources.md', async () => {
  const page = await readFile(join(CHECKOUT, 'docs', 'custom-resources.md'), 'utf8');
  const examples = Array.from(
    page.matchAll(/```yaml\n(apiVersion: inlet\.email[^]*?)```/g),
    ([, yaml]) => yaml ?? '',
  );
  expect(examples.length).toBeGreaterThan(1);
  for (const example of examples)
    await kubectl(
      ['-n', namespace.name, 'apply', '--dry-run=server', '--validate=strict', '-f', '-'],
      example,
    );
});

test('short names and the category find the resources', async () => {
  await namespace.apply(account());
  expect(await namespace.run('get', 'iaddr,iacc,itok,idom', '-o', 'name')).toMatch(
    /account.inlet.email\/shop/,
  );
  expect(await namespace.run('get', 'inlet', '-o', 'name')).toMatch(
    /inboundaddress.inlet.email\/plain[^]*apitoken|apitoken[^]*inboundaddress.inlet.email\/plain/,
  );
});
