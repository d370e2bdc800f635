/**
 * What a customer changes with requests and commands: a change without a difference, a change of one
 * thing, and what its event says. resources.ts has the same for custom resources. A cell without a
 * change says why there is none.
 */
export const NOUN_NAMES = [
  'address',
  'first receiver',
  'receiver',
  'domain',
  'notification',
  'bucket',
  'list',
  'token',
  'member',
  'account',
] as const;
export type NounName = (typeof NOUN_NAMES)[number];

export type Body = Record<string, unknown>;
export type Ids = { id: string; addressId: string };

/** Why nothing is changed this way, and an operation or command that would do it. */
export type None = { none: string; missing: string };

/** By the API with a token, and by a dashboard. */
export type Requests = { path: (ids: Ids) => string; same: Body; change: Body };
/** A command of `inlet`. `input`: what it reads from standard input. */
export type Command = { args: (ids: Ids) => string[]; input?: string };
/** `changed`: if not as for the other ways in. */
export type Commands = { same: Command; change: Command; changed?: Body };

export type Noun = {
  event: string;
  changed: Body;
  /** Absent for the account, which exists. */
  create?: { path: (addressId: string) => string; body: Body };
  /** The collection of its record. */
  records: string;
  requests: Requests | None;
  command: Commands | None;
  /** Of the operator of the installation. */
  admin: Commands | None;
};

export const URL = 'https://receiver.example/hook';
const AUTH = { headers: { 'X-Key': 'very-secret' } };
const KEYS = { access_key_id: 'id', secret_access_key: 'very-secret' };
const OTHER_KEYS = { ...KEYS, access_key_id: 'other' };
const notByAdmin = (noun: string): None => ({
  none: 'inlet admin changes only accounts',
  missing: `admin ${noun} update`,
});

/** A command whose words have no spaces. ID and ADDRESS stand for those of the record. */
const command = (text: string) => ({
  args: ({ id, addressId }: Ids) =>
    text.replaceAll('ID', id).replaceAll('ADDRESS', addressId).split(' '),
});
export const NOUNS: Record<NounName, Noun> = {
  address: {
    event: 'address.updated',
    changed: { description: 'other', payload: { extract: ['links'] } },
    create: { path: () => '/v1/addresses', body: { webhook_url: URL, labels: { team: 'shop' } } },
    records: 'addresses',
    requests: {
      path: ({ id }) => `/v1/addresses/${id}`,
      same: {
        webhook_url: URL,
        labels: { team: 'shop' },
        is_enabled: true,
        payload: {},
        rules: [],
      },
      change: { webhook_url: URL, description: 'other', payload: { extract: ['links'] } },
    },
    command: {
      same: command(`addresses update ID --webhook-url ${URL} --labels team=shop`),
      change: command(
        `addresses update ID --webhook-url ${URL} --enable --description other --extract links`,
      ),
    },
    admin: notByAdmin('address'),
  },
  'first receiver': {
    event: 'address.updated',
    changed: { format: 'cloudevents', webhook_enabled: false },
    create: { path: () => '/v1/addresses', body: { webhook_url: URL, auth: AUTH } },
    records: 'addresses',
    requests: {
      path: ({ id }) => `/v1/addresses/${id}/receivers/${id}`,
      same: {
        url: URL,
        auth: AUTH,
        format: 'inlet',
        signing: 'hmac',
        when: null,
        is_enabled: true,
      },
      change: { url: URL, auth: AUTH, format: 'cloudevents', is_enabled: false },
    },
    command: {
      same: {
        ...command(`receivers update ID ID --url ${URL} --auth-file - --no-when`),
        input: JSON.stringify(AUTH),
      },
      change: command('receivers update ID ID --format cloudevents --disable'),
    },
    admin: notByAdmin('receiver'),
  },
  receiver: {
    event: 'receiver.updated',
    changed: { format: 'cloudevents' },
    create: { path: (id) => `/v1/addresses/${id}/receivers`, body: { url: URL, auth: AUTH } },
    records: 'receivers',
    requests: {
      path: ({ id, addressId }) => `/v1/addresses/${addressId}/receivers/${id}`,
      same: { url: URL, auth: AUTH, format: 'inlet', signing: 'hmac', when: null },
      change: { url: URL, auth: AUTH, format: 'cloudevents' },
    },
    command: {
      same: {
        ...command(`receivers update ADDRESS ID --url ${URL} --auth-file -`),
        input: JSON.stringify(AUTH),
      },
      change: command('receivers update ADDRESS ID --format cloudevents'),
    },
    admin: notByAdmin('receiver'),
  },
  domain: {
    event: 'domain.updated',
    changed: { mta_sts: 'testing' },
    create: { path: () => '/v1/domains', body: { domain: 'own.example' } },
    records: 'domains',
    requests: {
      path: ({ id }) => `/v1/domains/${id}`,
      same: { mta_sts: 'none' },
      change: { mta_sts: 'testing' },
    },
    command: {
      same: command('domains update ID --mta-sts none'),
      change: command('domains update ID --mta-sts testing'),
    },
    admin: notByAdmin('domain'),
  },
  notification: {
    event: 'notification.updated',
    changed: { is_enabled: false },
    create: {
      path: () => '/v1/account/notifications',
      body: { url: URL, types: ['quota.near'] },
    },
    records: 'notifications',
    requests: {
      path: ({ id }) => `/v1/account/notifications/${id}`,
      same: { url: URL, types: ['quota.near'], is_enabled: true, description: null },
      change: { url: URL, is_enabled: false },
    },
    command: {
      same: command('notifications update ID --types quota.near --enable'),
      change: command(`notifications update ID --url ${URL} --disable`),
    },
    admin: notByAdmin('notification'),
  },
  bucket: {
    event: 'bucket.updated',
    changed: { access_key_id: 'other', secret_access_key: 'replaced' },
    create: {
      path: () => '/v1/account/buckets',
      body: {
        name: 'files',
        endpoint: 'https://s3.example.com',
        bucket: 'mail',
        credentials: KEYS,
      },
    },
    records: 'buckets',
    requests: {
      path: ({ id }) => `/v1/account/buckets/${id}`,
      same: { endpoint: 'https://s3.example.com', bucket: 'mail', credentials: KEYS, prefix: '' },
      change: { bucket: 'mail', credentials: OTHER_KEYS },
    },
    command: {
      same: {
        ...command('buckets update ID --bucket mail --credentials-file -'),
        input: JSON.stringify(KEYS),
      },
      change: {
        ...command('buckets update ID --bucket mail --credentials-file -'),
        input: JSON.stringify(OTHER_KEYS),
      },
    },
    admin: notByAdmin('bucket'),
  },
  list: {
    event: 'list.updated',
    changed: { added: ['c.example'], added_count: 1, removed: ['a.example'], removed_count: 1 },
    create: {
      path: () => '/v1/lists',
      body: { name: 'partners', entries: ['a.example', 'b.example'] },
    },
    records: 'sender_lists',
    requests: {
      path: ({ id }) => `/v1/lists/${id}`,
      same: { entries: ['a.example', 'b.example'], description: null },
      change: { add: ['c.example'], remove: ['a.example'] },
    },
    command: {
      same: { ...command('lists import ID -'), input: 'b.example\na.example\n' },
      change: { ...command('lists import ID -'), input: 'b.example\nc.example\n' },
    },
    admin: notByAdmin('list'),
  },
  token: {
    event: 'token.updated',
    changed: { name: 'other', permissions: ['usage:read'] },
    create: { path: () => '/v1/account/tokens', body: { name: 'ci' } },
    records: 'tokens',
    requests: {
      none: 'the API creates and revokes tokens',
      missing: '/account/tokens/{token_id}',
    },
    command: { none: 'inlet creates and revokes tokens', missing: 'tokens update' },
    admin: notByAdmin('token'),
  },
  member: {
    event: 'member.updated',
    changed: { role: 'developer' },
    create: { path: () => '/v1/account/members', body: { name: 'Ann', role: 'viewer' } },
    records: 'members',
    requests: {
      path: ({ id }) => `/v1/account/members/${id}`,
      same: { name: 'Ann', role: 'viewer' },
      change: { name: 'Ann', role: 'developer' },
    },
    command: {
      same: command('members role ID viewer'),
      change: command('members role ID developer'),
    },
    admin: notByAdmin('member'),
  },
  account: {
    event: 'account.updated',
    changed: { name: 'Another name', default_ttl_hours: 7 },
    records: 'accounts',
    requests: {
      path: () => '/v1/account',
      same: { settings: { timezone: 'UTC', retention_hours: null, rules: [] } },
      change: { name: 'Another name', settings: { timezone: 'UTC', default_ttl_hours: 7 } },
    },
    command: { none: 'inlet has no command for the account', missing: 'account update' },
    admin: {
      same: command('admin account update ID --name Other'),
      change: command('admin account update ID --name Another'),
      changed: { name: 'Another' },
    },
  },
};
