/** The steps that turn an InboundReceiver resource into a further receiver of an address. */
import { expect, test } from 'vitest';

import { type ReceiverFacts, receiverStep } from '../../../services/core/kube/receiver-resource.ts';
import { InboundReceiverSpec } from '../../../services/core/kube/spec/receiver-spec.ts';
import type { Receiver } from '../../../services/core/receiver/receiver.ts';

const NOW = new Date('2026-11-22T12:00:00Z');
const HOOK = 'https://hooks.example.com/more';

const address = { id: 'addr_1' };
const record = (fields: Partial<Receiver> = {}): Receiver => ({
  id: 'rcv_1',
  account_id: 'acc_1',
  environment: 'live',
  address_id: 'addr_1',
  url: HOOK,
  description: null,
  is_enabled: true,
  payload: { attachments: 'inline', raw: false, extract: [], storage: null },
  mode: 'push',
  when: null,
  format: 'inlet',
  signing: 'hmac',
  auth: null,
  service: null,
  public_key: null,
  secret_generation: 1,
  webhook_secret: 'whsec_x',
  created_at: NOW,
  updated_at: NOW,
  deleted_at: null,
  ...fields,
});
const facts = ({
  spec = {},
  ...given
}: Omit<Partial<ReceiverFacts>, 'spec'> & { spec?: object } = {}): ReceiverFacts => ({
  spec: InboundReceiverSpec.parse({ addressRef: { name: 'orders' }, url: HOOK, ...spec }),
  namespace: 'shop',
  auth: { auth: null },
  isEdited: false,
  accountId: 'acc_1',
  address,
  record: record(),
  allowedNetworks: [],
  offersFiles: false,
  ...given,
});
const settled = (reason: string, status = 'True') => ({
  kind: 'settled',
  verdict: { reason, status },
});
const BASIC = { basic: { username: 'me', password: 'secret' } };
const BASIC_VIEW = {
  headers: [],
  basic: { username: 'me' },
  oauth2: null,
  client_certificate: null,
};
const failing = { failing_noticed_at: NOW };

test.each([
  [failing, /accepted nothing for too long/],
  [
    { ...failing, failing_reason: 'secret_rotated' as const },
    /401 or 403 since its webhook secret/,
  ],
  [{ ...failing, failing_reason: 'auth_changed' as const }, /refused the authentication since/],
])('the condition says why it is failing: %j', (fields, message) => {
  expect(receiverStep(facts({ record: record(fields) }))).toMatchObject({
    verdict: { reason: 'Failing', message: expect.stringMatching(message) as string },
  });
});

test.each<[what: string, facts: ReceiverFacts, expected: object]>([
  ['one that agrees with its resource', facts(), settled('Ready')],
  [
    'no address',
    facts({ accountId: undefined, address: undefined }),
    settled('AddressNotReady', 'False'),
  ],
  [
    'a URL that is not public',
    facts({ spec: { url: 'https://10.0.0.1/' } }),
    settled('InvalidWebhookUrl', 'False'),
  ],
  [
    'links where there are none',
    facts({ spec: { payload: { raw: true } } }),
    settled('LinksNotOffered', 'False'),
  ],
  [
    'a filter that is not valid',
    facts({ spec: { when: 'nobody' } }),
    settled('InvalidSpec', 'False'),
  ],
  [
    'a filter',
    facts({ spec: { when: 'is_list' } }),
    { kind: 'change', change: { when: 'is_list' } },
  ],
  [
    'none yet',
    facts({
      record: undefined,
      spec: { payload: { attachments: 'omit' }, secretGeneration: 3 },
    }),
    {
      kind: 'create',
      requested: {
        address_id: 'addr_1',
        url: HOOK,
        is_enabled: true,
        payload: { attachments: 'omit', raw: false },
        secret_generation: 3,
      },
    },
  ],
  [
    'a Service',
    facts({ spec: { url: undefined, service: { name: 'billing' }, caBundle: 'PEM' } }),
    {
      kind: 'change',
      change: { url: 'https://billing.shop.svc/', service: { ca: 'PEM' } },
    },
  ],
  [
    'a Service with a port and a path',
    facts({ spec: { url: undefined, service: { name: 'billing', port: 8443, path: '/in?x=1' } } }),
    {
      kind: 'change',
      change: { url: 'https://billing.shop.svc:8443/in?x=1', service: { ca: null } },
    },
  ],
  [
    'a URL after a Service',
    facts({ record: record({ service: { ca: null } }) }),
    { kind: 'change', change: { service: null } },
  ],
  [
    'authentication that cannot be used',
    facts({ auth: { refusal: 'the Secret x does not exist' } }),
    settled('AuthNotUsable', 'False'),
  ],
  [
    'authentication, which another origin needs again',
    facts({
      spec: { url: 'https://other.example.com/' },
      auth: { auth: BASIC },
      record: { ...record({ auth: BASIC_VIEW }), opened_auth: BASIC },
    }),
    { kind: 'change', change: { url: 'https://other.example.com/', auth: BASIC } },
  ],
  [
    'the same authentication',
    facts({
      auth: { auth: BASIC },
      record: { ...record({ auth: BASIC_VIEW }), opened_auth: BASIC },
    }),
    settled('Ready'),
  ],
  [
    'another password',
    facts({
      auth: { auth: { basic: { username: 'me', password: 'new' } } },
      record: { ...record({ auth: BASIC_VIEW }), opened_auth: BASIC },
    }),
    { kind: 'change', change: { auth: { basic: { username: 'me', password: 'new' } } } },
  ],
  [
    'no authentication any longer',
    facts({ record: { ...record({ auth: BASIC_VIEW }), opened_auth: BASIC } }),
    { kind: 'change', change: { auth: null } },
  ],
  [
    'one of another address',
    facts({ record: record({ address_id: 'addr_2' }) }),
    settled('NotOurs', 'False'),
  ],
  [
    'other fields',
    facts({ spec: { description: 'pager', payload: { attachments: 'omit' } } }),
    {
      kind: 'change',
      change: { description: 'pager', payload: { attachments: 'omit', raw: false } },
    },
  ],
  [
    'a disabled one',
    facts({ spec: { enabled: false }, record: record({ is_enabled: false }) }),
    settled('Disabled'),
  ],
  ['one that fails', facts({ record: record(failing) }), settled('Failing')],
  [
    'one that is disabled because it fails',
    facts({ record: record({ ...failing, is_enabled: false }) }),
    settled('Failing', 'False'),
  ],
  [
    'the same after an edit',
    facts({ record: record({ ...failing, is_enabled: false }), isEdited: true }),
    { kind: 'change', change: { is_enabled: true } },
  ],
  [
    'a higher generation of the secret',
    facts({ spec: { secretGeneration: 2 } }),
    { kind: 'rotate', generation: 2 },
  ],
])('%s', (_, given, expected) => {
  expect(receiverStep(given)).toMatchObject(expected);
});
