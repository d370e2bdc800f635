/** The steps that turn an InboundAddress resource into an address. */
import { describe, expect, test } from 'vitest';

import type { Address } from '../../../services/core/address/address.ts';
import { type AddressFacts, addressStep } from '../../../services/core/kube/address-resource.ts';
import { InboundAddressSpec } from '../../../services/core/kube/spec/address-spec.ts';
import { newAddress } from '../../support/new-address.ts';

const NOW = new Date('2026-11-21T08:00:00Z');
const HOOK = 'https://hooks.example.com/inbound';

const record = (fields: Partial<Address> = {}): Address =>
  newAddress(HOOK, {
    id: 'addr_1',
    account_id: 'acc_1',
    address: 'k3v9@in.example',
    created_at: NOW,
    payload: { attachments: 'inline', raw: false, extract: [], storage: null },
    spam_refuse_above: null,
    ...fields,
  });
const facts = ({
  spec = {},
  ...given
}: Omit<Partial<AddressFacts>, 'spec'> & { spec?: object } = {}): AddressFacts => ({
  spec: InboundAddressSpec.parse({ accountRef: { name: 'shop' }, webhookUrl: HOOK, ...spec }),
  namespace: 'shop',
  auth: { auth: null },
  isEdited: false,
  status: {},
  accountId: 'acc_1',
  record: record(),
  allowedNetworks: [],
  offersFiles: false,
  canReply: true,
  now: NOW,
  ...given,
});

/** The reason of a settled verdict, or the next step. */
const outcomeOf = (given: AddressFacts) => {
  const step = addressStep(given);
  return step.kind === 'settled' ? `${step.verdict.status} ${step.verdict.reason}` : step.kind;
};

test.each<[what: string, facts: AddressFacts, expected: string]>([
  ['an address that agrees with its resource', facts(), 'True Ready'],
  ['no address yet', facts({ record: undefined }), 'create'],
  [
    'an address that existed before',
    facts({ record: undefined, status: { id: 'addr_1' } }),
    'restore',
  ],
  ['no account', facts({ accountId: undefined }), 'False AccountNotReady'],
  [
    'an address of another account',
    facts({ record: record({ account_id: 'acc_2' }) }),
    'False NotOurs',
  ],
  [
    'D11: an address of the other environment',
    facts({ spec: { environment: 'test' } }),
    'False NotOurs',
  ],
  ['an address of another name', facts({ spec: { localPart: 'sales' } }), 'False NotOurs'],
  [
    'an address on an own domain, but the spec has the shared one',
    facts({ record: record({ address: 'k3v9@example.org', domain_id: 'dom_1' }) }),
    'False NotOurs',
  ],
  [
    'an address on another domain',
    facts({
      spec: { domain: 'example.org' },
      record: record({ address: 'k3v9@sub.example.org', domain_id: 'dom_1' }),
    }),
    'False NotOurs',
  ],
  [
    'the address of the spec, in another spelling',
    facts({
      spec: { localPart: 'Sales', domain: 'Example.ORG' },
      record: record({ address: 'sales@example.org', domain_id: 'dom_1' }),
    }),
    'True Ready',
  ],
  [
    'D27: a URL that is not public',
    facts({ spec: { webhookUrl: 'https://192.168.0.1/' } }),
    'False InvalidWebhookUrl',
  ],
  [
    'a private URL that the platform allows',
    facts({
      spec: { webhookUrl: 'https://192.168.0.1/' },
      record: undefined,
      allowedNetworks: ['192.168.0.0/16'],
    }),
    'create',
  ],
  [
    'an invalid local part',
    facts({ spec: { localPart: 'a b' }, record: undefined }),
    'False InvalidLocalPart',
  ],
  [
    'an invalid domain',
    facts({ spec: { localPart: 'a', domain: 'localhost' }, record: undefined }),
    'False InvalidDomain',
  ],
  [
    'links on a platform without links',
    facts({ spec: { payload: { attachments: 'url' } } }),
    'False LinksNotOffered',
  ],
  [
    'links on a platform with links',
    facts({ spec: { payload: { attachments: 'url' } }, offersFiles: true }),
    'change',
  ],
  ['reply addresses', facts({ spec: { replyAddresses: {} } }), 'change'],
  [
    'reply addresses that are on already',
    facts({ spec: { replyAddresses: {} }, record: record({ reply_addresses: true }) }),
    'True Ready',
  ],
  [
    'only reply addresses',
    facts({ spec: { replyAddresses: { only: true } }, record: record({ reply_addresses: true }) }),
    'change',
  ],
  ['removed reply addresses', facts({ record: record({ reply_addresses: true }) }), 'change'],
  [
    'reply addresses on a platform without keys',
    facts({ spec: { replyAddresses: {} }, canReply: false }),
    'False RepliesNotOffered',
  ],
  [
    'a later key of reply addresses',
    facts({
      spec: { replyAddresses: { keyGeneration: 2 } },
      record: record({ reply_addresses: true }),
    }),
    'rotateReplyKey',
  ],
  ['another URL', facts({ spec: { webhookUrl: `${HOOK}/2` } }), 'change'],
  [
    'a URL in another spelling',
    facts({ spec: { webhookUrl: 'https://HOOKS.example.com/inbound' } }),
    'True Ready',
  ],
  ['a description', facts({ spec: { description: 'x' } }), 'change'],
  ['a removed description', facts({ record: record({ description: 'x' }) }), 'change'],
  [
    'a removed payload setting',
    facts({
      record: record({ payload: { attachments: 'omit', raw: false, extract: [], storage: null } }),
    }),
    'change',
  ],
  ['another refuseInfected', facts({ record: record({ refuse_infected: true }) }), 'change'],
  ['a removed spam threshold', facts({ record: record({ spam_refuse_above: 5 }) }), 'change'],
  [
    'disabled',
    facts({ spec: { enabled: false }, record: record({ is_enabled: false }) }),
    'True Disabled',
  ],
  ['disabled without the resource', facts({ record: record({ is_enabled: false }) }), 'change'],
  ['a failing receiver', facts({ record: record({ failing_noticed_at: NOW }) }), 'True Failing'],
  [
    'disabled for a failing receiver: stays disabled',
    facts({ record: record({ is_enabled: false, failing_noticed_at: NOW }) }),
    'False Failing',
  ],
  [
    'an edit enables it again',
    facts({ isEdited: true, record: record({ is_enabled: false, failing_noticed_at: NOW }) }),
    'change',
  ],
  [
    'an edit does not enable what the spec disables',
    facts({
      isEdited: true,
      spec: { enabled: false },
      record: record({ is_enabled: false, failing_noticed_at: NOW }),
    }),
    'False Failing',
  ],
  [
    'D17: a higher secretGeneration',
    facts({ spec: { secretGeneration: 2 }, status: { secretGeneration: 1 } }),
    'rotate',
  ],
  [
    'D17: a secretGeneration that is in the record, but not yet in the status',
    facts({
      spec: { secretGeneration: 2 },
      status: { secretGeneration: 1 },
      record: record({ secret_generation: 2 }),
    }),
    'True Ready',
  ],
  [
    'a secretGeneration whose status was lost',
    facts({ spec: { secretGeneration: 2 } }),
    'True Ready',
  ],
  [
    'D7: expired',
    facts({ spec: { ttlHours: 1 }, record: record({ is_permanent: false, expires_at: NOW }) }),
    'False Expired',
  ],
  [
    'D7: expired and its record deleted: no other address is created',
    facts({
      spec: { ttlHours: 1 },
      record: undefined,
      status: { id: 'addr_1', expiresAt: '2026-10-01T00:00:00Z' },
    }),
    'False Expired',
  ],
])('%s', (_, given, expected) => {
  expect(outcomeOf(given)).toBe(expected);
});

describe('the data of a step', () => {
  test('a creation has the spec in the form of the record', () => {
    const spec = {
      environment: 'live',
      localPart: 'Sales',
      domain: 'Orders.example.com',
      ttlHours: 5,
      description: 'x',
      spamRefuseAbove: 7,
      allowedSenders: { senders: ['Partner.Example'], acceptForwarded: true },
      refuseInfected: false,
      allowedAttachments: { types: ['Image/*'] },
      maxPerHour: 100,
      retentionHours: 0,
      redact: ['from'],
      hook: { url: 'https://example.com/decide', timeoutMs: 900 },
      payload: { attachments: 'omit' },
    };
    expect(addressStep(facts({ spec, record: undefined }))).toEqual({
      kind: 'create',
      scope: { account_id: 'acc_1', environment: 'live' },
      requested: {
        local_part: 'sales',
        domain: 'orders.example.com',
        webhook_url: HOOK,
        webhook_enabled: true,
        when: null,
        mode: 'push',
        format: 'inlet',
        signing: 'hmac',
        service: null,
        description: 'x',
        spam_refuse_above: 7,
        allowed_senders: {
          senders: ['partner.example'],
          require_authenticated: true,
          accept_forwarded: true,
        },
        refuse_infected: false,
        allowed_attachments: { types: ['image/*'], max_bytes: null },
        max_per_hour: 100,
        labels: [],
        rules: [],
        expect: null,
        hook: {
          url: 'https://example.com/decide',
          when: null,
          timeout_ms: 900,
          on_error: 'accept',
        },
        reply_addresses: false,
        reply_only: false,
        retention_hours: 0,
        redact: ['from'],
        is_permanent: undefined,
        ttl_hours: 5,
        payload: { attachments: 'omit', raw: false, extract: [], storage: null },
        secret_generation: 1,
      },
    });
  });
  test('a change has only what differs', () => {
    expect(
      addressStep(facts({ spec: { enabled: false, payload: { attachments: 'omit' } } })),
    ).toEqual({ kind: 'change', change: { is_enabled: false, payload: { attachments: 'omit' } } });
  });
  test('retention and redaction change, and settle when the record has them', () => {
    const spec = { retentionHours: 24, redact: ['subject'] };
    const wanted = { retention_hours: 24, redact: ['subject' as const] };
    expect(addressStep(facts({ spec }))).toEqual({ kind: 'change', change: wanted });
    expect(addressStep(facts({ spec, record: record(wanted) }))).toMatchObject({ kind: 'settled' });
    expect(addressStep(facts({ record: record(wanted) }))).toEqual({
      kind: 'change',
      change: { retention_hours: null, redact: null },
    });
  });
});
