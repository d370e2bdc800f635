/**
 * The operator creates working accounts, addresses and tokens from resources, and corrects drift in
 * their records and Secrets.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createAccounts } from '../../services/adapters/mongo/accounts/accounts.ts';
import { DASHBOARDS } from '../../services/generate/grafana/dashboards.ts';
import { findPrometheus, startPrometheus } from '../support/prometheus.ts';
import { signatureHolds } from '../support/receiver.ts';
import { testDir } from '../support/servers.ts';
import { play } from '../support/smtp-play.ts';
import { until } from '../support/until.ts';
import { account, address, token } from '../support/manifests.ts';
import { createNamespace, kubectl } from './kubectl.ts';
import { type OperatorBed, startOperatorBed } from './operator-bed.ts';
import { grantEverywhere } from './operator-credentials.ts';
import type { Operator } from './operator-process.ts';
import { atMost } from '../support/slowdown.ts';

let bed: OperatorBed;
let operator: Operator;
beforeAll(async () => {
  bed = await startOperatorBed();
  operator = await bed.start();
});
afterAll(async () => {
  await operator?.[Symbol.asyncDispose]();
  await bed?.[Symbol.asyncDispose]();
});

const hook = (path: string) => bed.pipeline.receiver.url(path);

const rcpt = async (text: string) => {
  const replies = await play(bed.pipeline.smtpPort, [
    ['EHLO x', '250'],
    ['MAIL FROM:<a@b.example>', '250'],
    [`RCPT TO:<${text}>`, ''],
  ]);
  return replies[2];
};

const whoami = (text: string | undefined) =>
  bed.api.ask('GET', '/v1/account', { token: text ?? '' });

test('an applied address receives mail within seconds, and its Secret verifies the webhooks', async () => {
  const startedMs = performance.now();
  await bed.namespace.apply(account(), address('orders', hook('/orders')));
  const { status, metadata } = await bed.namespace.untilReady('inboundaddress/orders');
  const readyMs = performance.now() - startedMs;
  await bed.pipeline.mailer.sendMail({
    from: 'ann@example.org',
    to: String(status?.address),
    subject: 'Order 7',
    text: 'Two please.',
  });
  const webhook = await bed.pipeline.receiver.nth('/orders', 1);
  process.stdout.write(
    `apply to Ready ${Math.round(readyMs)} ms, to the webhook ${Math.round(performance.now() - startedMs)} ms\n`,
  );

  expect(readyMs).toBeLessThan(atMost(10_000));
  expect(webhook.payload.address_id).toBe(status?.id);
  const secret = await bed.namespace.secret('orders-webhook');
  expect(secret).toEqual({
    webhook_secret: expect.stringMatching(/^whsec_/) as string,
    webhook_url: hook('/orders'),
    address: status?.address,
  });
  expect(signatureHolds(webhook, secret?.webhook_secret ?? '')).toBe(true);
  expect(
    (await bed.namespace.get('secret/orders-webhook'))?.metadata.ownerReferences,
  ).toMatchObject([{ kind: 'InboundAddress', name: 'orders', uid: metadata.uid }]);
  const events = async () => {
    const { items } = JSON.parse(
      await bed.namespace.run(
        'get',
        'events',
        '--field-selector',
        'involvedObject.name=orders,reason=Ready',
        '-o',
        'json',
      ),
    ) as { items: object[] };
    return items;
  };
  await until('an event of it', async () => (await events()).length > 0);
  expect(await events()).toMatchObject([
    {
      type: 'Normal',
      message: 'receives mail',
      involvedObject: { kind: 'InboundAddress', uid: metadata.uid },
      reportingComponent: 'inlet.email/operator',
    },
  ]);
  const {
    metadata: { finalizers, managedFields },
  } = JSON.parse(
    await bed.namespace.run('get', 'inboundaddress/orders', '-o', 'json', '--show-managed-fields'),
  ) as {
    metadata: {
      finalizers: string[];
      managedFields: { manager: string; operation: string; subresource?: string }[];
    };
  };
  expect(finalizers).toEqual(['inlet.email/operator']);
  expect(
    managedFields
      .filter(({ manager }) => manager === 'inlet-operator')
      .map(({ operation, subresource }) => [operation, subresource]),
  ).toEqual([
    ['Apply', undefined],
    ['Apply', 'status'],
  ]); // server-side
  expect(await bed.namespace.run('get', 'inlet')).toMatch(
    /orders +\S+@in\.example +https:.* +True +\d+s/,
  );
});

test('an account of another namespace is out of reach, whatever its name is', async () => {
  await using other = await createNamespace();
  await bed.grant(other);
  await using both = await bed.start({
    LEASE_NAME: 'both',
    WATCH_NAMESPACES: `${bed.namespace.name},${other.name}`,
  });
  await bed.namespace.apply(account('theirs'));
  await bed.namespace.untilReady('account/theirs');
  await other.apply(
    address('thief', hook('/thief'), { accountRef: { name: 'theirs' } }),
    token('thief', { accountRef: { name: 'theirs' } }),
    account('own'),
    address('honest', hook('/honest'), { accountRef: { name: 'own' } }),
  );
  const { status } = await other.untilReady('inboundaddress/thief', 'AccountNotReady');
  await other.untilReady('apitoken/thief', 'AccountNotReady');
  await other.untilReady('inboundaddress/honest');
  expect([
    status?.address,
    await other.get('secret/thief-token'),
    await both.health('readyz'),
  ]).toEqual([undefined, undefined, 200]);

  // even if an attacker may write its status
  const victim = (await bed.namespace.get('account/theirs'))?.status?.id;
  await other.run(
    'patch',
    'account/own',
    '--subresource=status',
    '--type=merge',
    '-p',
    JSON.stringify({ status: { id: victim } }),
  );
  await other.apply(token('forger', { accountRef: { name: 'own' } }));
  await other.untilReady('apitoken/forger');
  const made = await bed.pipeline.mongo.db
    .collection('tokens')
    .findOne({ 'managed_by.name': 'forger' });
  expect(made?.account_id).not.toBe(victim);
});

describe('the address follows its spec', () => {
  test('changes of the spec are applied to the address', async () => {
    await bed.namespace.apply(account(), address('spec', hook('/before')));
    const { status } = await bed.namespace.untilReady('inboundaddress/spec');
    await bed.namespace.patch('inboundaddress/spec', {
      spec: {
        webhookUrl: hook('/after'),
        description: 'new',
        spamRefuseAbove: 7.5,
        payload: { attachments: 'omit' },
      },
    });
    await bed.namespace.untilReady('inboundaddress/spec');
    await bed.pipeline.mailer.sendMail({
      from: 'a@b.example',
      to: String(status?.address),
      subject: 'x',
      text: 'x',
      attachments: [{ filename: 'a.txt', content: 'a' }],
    });
    const { payload } = await bed.pipeline.receiver.nth('/after', 1);
    expect(payload.attachments).toMatchObject([{ filename: 'a.txt', content: null }]);
    expect((await bed.namespace.secret('spec-webhook'))?.webhook_url).toBe(hook('/after'));
    expect(
      await bed.pipeline.mongo.db.collection('addresses').findOne({ address: status?.address }),
    ).toMatchObject({ description: 'new', spam_refuse_above: 7.5 });

    await bed.namespace.patch('inboundaddress/spec', { spec: { enabled: false } });
    await bed.namespace.untilReady('inboundaddress/spec', 'Disabled');
    await until('a refusal', async () =>
      (await rcpt(String(status?.address)))?.startsWith('550 5.2.1'),
    );
    expect((await bed.namespace.get('inboundaddress/spec'))?.status?.address).toBe(status?.address);
  });

  test('D17: a higher secretGeneration rotates the secret, and the former one also signs', async () => {
    await bed.namespace.apply(account(), address('rotated', hook('/rotated')));
    const { status } = await bed.namespace.untilReady('inboundaddress/rotated');
    const before = await bed.namespace.secret('rotated-webhook');
    await bed.namespace.patch('inboundaddress/rotated', { spec: { secretGeneration: 2 } });
    const after = await until('another secret', async () => {
      const now = await bed.namespace.secret('rotated-webhook');
      return now?.webhook_secret === before?.webhook_secret ? undefined : now;
    });
    await bed.pipeline.mailer.sendMail({
      from: 'a@b.example',
      to: String(status?.address),
      subject: 'x',
      text: 'x',
    });
    const webhook = await bed.pipeline.receiver.nth('/rotated', 1);
    expect(
      [before, after].map((secret) => signatureHolds(webhook, secret?.webhook_secret ?? '')),
    ).toEqual([true, true]);
    const settled = await bed.namespace.untilReady('inboundaddress/rotated');
    expect(settled.status?.secretGeneration).toBe(2);
  });

  test('D17: a secret is not rotated before its Secret can hold the new one', async () => {
    await bed.namespace.apply(account(), address('untold', hook('/untold')));
    const { status } = await bed.namespace.untilReady('inboundaddress/untold');
    const known = await bed.namespace.secret('untold-webhook');
    await bed.namespace.patch('secret/untold-webhook', { immutable: true });
    await bed.namespace.patch('inboundaddress/untold', { spec: { secretGeneration: 2 } });
    await bed.namespace.untilReady('inboundaddress/untold', 'SecretRefused');
    const settledBefore = await operator.metric(
      'inlet_operator_reconciles_total',
      'kind="InboundAddress",result="refused"',
    );
    await until(
      'more tries',
      async () =>
        (await operator.metric(
          'inlet_operator_reconciles_total',
          'kind="InboundAddress",result="refused"',
        )) >
        settledBefore + 1,
    );
    const stored = await bed.pipeline.mongo.db
      .collection('addresses')
      .findOne({ address: status?.address });
    expect(stored).toMatchObject({ secret_generation: 1 });
    expect(stored).not.toHaveProperty('former_secrets');
    await bed.namespace.delete('secret/untold-webhook');
    await until('the new secret', async () => {
      const written = await bed.namespace.secret('untold-webhook');
      return written && written.webhook_secret !== known?.webhook_secret;
    });
  });

  test('D6, D7: an expiring address shows its expiry, and is not created again afterwards', async () => {
    await bed.namespace.apply(account(), address('brief', hook('/brief'), { ttlHours: 5 }));
    const { status } = await bed.namespace.untilReady('inboundaddress/brief');
    const hours = (Date.parse(String(status?.expiresAt)) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(4.9);
    expect(hours).toBeLessThanOrEqual(5);
    const addresses = bed.pipeline.mongo.db.collection<{ _id: string }>('addresses');
    await addresses.updateOne(
      { _id: String(status?.id) },
      { $set: { expires_at: new Date(Date.now() - 1_000) } },
    );
    await bed.namespace.untilReady('inboundaddress/brief', 'Expired');
    await addresses.deleteOne({ _id: String(status?.id) });
    await bed.namespace.patch('inboundaddress/brief', { spec: { description: 'still over' } });
    const over = await bed.namespace.untilReady('inboundaddress/brief', 'Expired');
    expect([
      over.status?.id,
      await addresses.countDocuments({ 'managed_by.name': 'brief' }),
    ]).toEqual([status?.id, 0]);
  });

  test('an address that was disabled as failing stays so until the resource is edited', async () => {
    await bed.namespace.apply(account(), address('failing', hook('/failing')));
    const { status } = await bed.namespace.untilReady('inboundaddress/failing');
    const addresses = bed.pipeline.mongo.db.collection<{ _id: string }>('addresses');
    await addresses.updateOne(
      { _id: String(status?.id) },
      { $set: { is_enabled: false, failing_since: new Date(), failing_noticed_at: new Date() } },
    );
    await bed.namespace.untilReady('inboundaddress/failing', 'Failing');
    await bed.namespace.patch('inboundaddress/failing', { spec: { description: 'mended' } });
    await bed.namespace.untilReady('inboundaddress/failing');
    expect(await addresses.findOne({ _id: String(status?.id) })).toMatchObject({
      is_enabled: true,
    });
  });

  test.each([
    ['a URL that is not public', { webhookUrl: 'https://10.0.0.1/' }, 'InvalidWebhookUrl'],
    ['links that the platform does not offer', { payload: { raw: true } }, 'LinksNotOffered'],
    ['an account that is not there', { accountRef: { name: 'nobody' } }, 'AccountNotReady'],
  ])('%s appears in the condition, and no address is created', async (_, spec, reason) => {
    const name = reason.toLowerCase();
    await bed.namespace.apply(account(), address(name, hook('/x'), spec));
    const { status } = await bed.namespace.untilReady(`inboundaddress/${name}`, reason);
    expect(status?.address).toBeUndefined();
    await bed.namespace.delete(`inboundaddress/${name}`);
  });
});

describe('drift is corrected', () => {
  test('a deleted or edited Secret is restored', async () => {
    await bed.namespace.apply(account(), address('drift', hook('/drift')));
    await bed.namespace.untilReady('inboundaddress/drift');
    const before = await bed.namespace.secret('drift-webhook');
    await bed.namespace.delete('secret/drift-webhook');
    await until('the Secret', () => bed.namespace.get('secret/drift-webhook'));
    expect(await bed.namespace.secret('drift-webhook')).toEqual(before);
    await bed.namespace.patch('secret/drift-webhook', {
      stringData: { webhook_secret: 'mine', more: 'x' },
    });
    await until(
      'the Secret as it was',
      async () =>
        JSON.stringify(await bed.namespace.secret('drift-webhook')) === JSON.stringify(before),
    );
    await bed.namespace.run('label', 'secret/drift-webhook', 'app.kubernetes.io/managed-by-');
    await until(
      'its label',
      async () =>
        (await bed.namespace.get('secret/drift-webhook'))?.metadata.labels?.[
          'app.kubernetes.io/managed-by'
        ],
    );
  });

  test('a record that was changed directly is changed back, and a deleted one is restored', async () => {
    await bed.namespace.apply(account(), address('record', hook('/record')));
    const { status } = await bed.namespace.untilReady('inboundaddress/record');
    const addresses = bed.pipeline.mongo.db.collection<{ _id: string }>('addresses');
    const _id = String(status?.id);
    await addresses.updateOne(
      { _id },
      { $set: { webhook_url: 'https://elsewhere.example/', is_enabled: false } },
    );
    await until(
      'the record to be restored',
      async () =>
        (await addresses.findOne({ _id, webhook_url: hook('/record'), is_enabled: true })) !== null,
    );
    await addresses.updateOne({ _id }, { $set: { deleted_at: new Date() } });
    await until(
      'the record',
      async () => (await addresses.findOne({ _id, deleted_at: null })) !== null,
    );
    expect((await bed.namespace.untilReady('inboundaddress/record')).status?.address).toBe(
      status?.address,
    );
  });

  test('the API refuses to change what a resource manages', async () => {
    await bed.namespace.apply(account(), address('owned', hook('/owned')), token('owner'));
    const { status } = await bed.namespace.untilReady('inboundaddress/owned');
    await bed.namespace.untilReady('apitoken/owner');
    const secret = await bed.namespace.secret('owner-token');
    const answer = await bed.api.ask('DELETE', `/v1/addresses/${String(status?.id)}`, {
      token: secret?.token ?? '',
    });
    expect(answer).toMatchObject({
      status: 409,
      body: {
        error: 'conflict',
        message: expect.stringContaining(`InboundAddress ${bed.namespace.name}/owned`) as string,
      },
    });
  });

  test('a resource name too long for its Secret name is reported, and secretName solves it', async () => {
    const long = 'n'.repeat(253);
    await bed.namespace.apply(account(), address(long, hook('/long')));
    const { status } = await bed.namespace.untilReady(`inboundaddress/${long}`, 'SecretRefused');
    expect(status?.conditions?.[0]?.message).toMatch(/no more than 253/);
    const fits = 'f'.repeat(253);
    await bed.namespace.apply(address(fits, hook('/fits'), { secretName: 'fits' }));
    await bed.namespace.untilReady(`inboundaddress/${fits}`);
    await bed.namespace.delete('inboundaddress', long, fits);
  });

  test('a resource gets a Secret or address name soon after its former owner is deleted', async () => {
    const spec = { localPart: 'renamed', secretName: 'renamed' };
    await using other = await createNamespace();
    await bed.grant(other);
    await using calm = await bed.start({
      LEASE_NAME: 'calm',
      RESYNC_INTERVAL: '1h',
      WATCH_NAMESPACES: other.name,
    });
    await other.apply(
      account('shop', { email: `${other.name}@example.com` }),
      address('former-name', hook('/renamed'), spec),
    );
    await other.untilReady('inboundaddress/former-name');
    await other.apply(
      address('name-wanted', hook('/renamed'), { localPart: 'Renamed' }),
      address('secret-wanted', hook('/renamed'), { secretName: 'renamed' }),
    );
    await other.untilReady('inboundaddress/name-wanted', 'Refused');
    await other.untilReady('inboundaddress/secret-wanted', 'SecretTaken');
    await other.delete('inboundaddress/former-name');
    expect((await other.untilReady('inboundaddress/name-wanted')).status?.address).toBe(
      'renamed@in.example',
    );
    await other.untilReady('inboundaddress/secret-wanted');
    expect(await calm.metric('inlet_operator_queued_resources')).toBe(0);
  });

  test('a Secret with another owner is not touched', async () => {
    await bed.namespace.run('create', 'secret', 'generic', 'taken', '--from-literal=mine=1');
    await bed.namespace.apply(account(), address('taker', hook('/x'), { secretName: 'taken' }));
    await bed.namespace.untilReady('inboundaddress/taker', 'SecretTaken');
    expect(await bed.namespace.secret('taken')).toEqual({ mine: '1' });
  });
});

describe('ApiToken', () => {
  test('its Secret contains a token that works, with the permissions of the spec', async () => {
    await bed.namespace.apply(
      account(),
      token('reader', { environment: 'test', permissions: ['account:read'] }),
    );
    const { status } = await bed.namespace.untilReady('apitoken/reader');
    const secret = await bed.namespace.secret('reader-token');
    expect(secret?.token).toMatch(/^svc_test_/);
    expect(secret?.token?.startsWith(String(status?.prefix))).toBe(true);
    const accountStatus = (await bed.namespace.untilReady('account/shop')).status;
    expect(await whoami(secret?.token)).toMatchObject({
      status: 200,
      body: { id: accountStatus?.id, email: 'shop@example.com' },
    });
    expect((await bed.api.ask('GET', '/v1/addresses', { token: secret?.token ?? '' })).status).toBe(
      403,
    );
    await bed.namespace.patch('apitoken/reader', {
      spec: { permissions: ['account:read', 'addresses:read'] },
    });
    await until(
      'the permission',
      async () =>
        (await bed.api.ask('GET', '/v1/addresses', { token: secret?.token ?? '' })).status === 200,
    );
  });

  test('a token whose Secret was lost or edited is replaced, and the former one is revoked', async () => {
    await bed.namespace.apply(account(), token('lost'));
    await bed.namespace.untilReady('apitoken/lost');
    const before = await bed.namespace.secret('lost-token');
    await bed.namespace.delete('secret/lost-token');
    const after = await until('a token that works', async () => {
      const now = await bed.namespace.secret('lost-token');
      return now && (await whoami(now.token)).status === 200 ? now : undefined;
    });
    expect(after.token).not.toBe(before?.token);
    expect((await whoami(before?.token)).status).toBe(401);
  });

  test('a token stays valid when its Secret loses its owner, or cannot be written', async () => {
    await bed.namespace.apply(account(), token('kept'));
    await bed.namespace.untilReady('apitoken/kept');
    const before = await bed.namespace.secret('kept-token');
    await bed.namespace.patch('secret/kept-token', { metadata: { ownerReferences: null } });
    const ownerOf = async () =>
      (await bed.namespace.get('secret/kept-token'))?.metadata.ownerReferences?.[0]?.name;
    await until('its owner', async () => (await ownerOf()) === 'kept');
    expect(await bed.namespace.secret('kept-token')).toEqual(before);

    await bed.namespace.run('create', 'configmap', 'other');
    const { uid } = (await bed.namespace.get('configmap/other'))?.metadata ?? {};
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid, controller: true };
    await bed.namespace.patch('secret/kept-token', { metadata: { ownerReferences: [other] } });
    await bed.namespace.untilReady('apitoken/kept', 'SecretTaken');
    expect((await whoami(before?.token)).status).toBe(200);
  });

  test('a deleted token is revoked, and its Secret is deleted', async () => {
    await bed.namespace.apply(account(), token('gone'));
    await bed.namespace.untilReady('apitoken/gone');
    const secret = await bed.namespace.secret('gone-token');
    await bed.namespace.delete('apitoken/gone');
    expect((await whoami(secret?.token)).status).toBe(401);
    await until(
      'the Secret to be deleted',
      async () => (await bed.namespace.get('secret/gone-token')) === undefined,
    );
  });
});

describe('deletion', () => {
  test('a resource that is deleted and immediately created again has another address', async () => {
    await bed.namespace.apply(account(), address('anew', hook('/anew')));
    const first = await bed.namespace.untilReady('inboundaddress/anew');
    for (let i = 0; i < 3; i++) {
      await bed.namespace.delete('inboundaddress/anew');
      await bed.namespace.apply(address('anew', hook('/anew')));
    }
    const last = await bed.namespace.untilReady('inboundaddress/anew');
    expect(last.metadata.uid).not.toBe(first.metadata.uid);
    expect(last.status?.address).not.toBe(first.status?.address);
    expect(await rcpt(String(first.status?.address))).toMatch(/^550 5\.1\.1/);
    await until(
      'its Secret',
      async () =>
        (await bed.namespace.get('secret/anew-webhook'))?.metadata.ownerReferences?.[0]?.uid ===
        last.metadata.uid,
    );
    expect((await bed.namespace.secret('anew-webhook'))?.address).toBe(last.status?.address);
  });

  test('an address that an earlier resource of that name left to another account is not disclosed', async () => {
    await bed.namespace.apply(account(), account('heir'), address('legacy', hook('/legacy')));
    const { status } = await bed.namespace.untilReady('inboundaddress/legacy');
    await bed.pipeline.mongo.db
      .collection('addresses')
      .updateOne(
        { address: status?.address },
        { $set: { 'managed_by.name': 'left', 'managed_by.uid': 'former' } },
      );
    await bed.namespace.apply(address('left', hook('/left'), { accountRef: { name: 'heir' } }));
    const left = await bed.namespace.untilReady('inboundaddress/left', 'NotOurs');
    expect([left.status?.id, await bed.namespace.get('secret/left-webhook')]).toEqual([
      undefined,
      undefined,
    ]);
    await bed.namespace.delete('inboundaddress/left');
    expect(await rcpt(String(status?.address))).toMatch(/^550 5\.1\.1/);
  });

  test('a namespace can be deleted with all its resources', async () => {
    await using _grant = await grantEverywhere(bed.namespace);
    await using own = await createNamespace();
    await using _operator = await bed.start({
      LEASE_NAME: 'ending',
      WATCH_NAMESPACES: own.name,
      RESYNC_INTERVAL: '1h',
    });
    await own.apply(
      account('shop', { email: `${own.name}@example.com` }),
      address('ending', hook('/ending')),
      token('ending'),
    );
    const { status } = await own.untilReady('inboundaddress/ending');
    await own.untilReady('apitoken/ending');
    await kubectl(['delete', 'namespace', own.name, '--wait=false']);
    await until(
      'the namespace to be deleted',
      async () =>
        (await kubectl(['get', 'namespace', own.name, '--ignore-not-found', '-o', 'name'])) === '',
      60_000,
    );
    expect(await rcpt(String(status?.address))).toMatch(/^550 5\.1\.1/);
    expect(
      await bed.pipeline.mongo.db
        .collection('accounts')
        .countDocuments({ 'managed_by.namespace': own.name }),
    ).toBe(0);
  });

  test('a resource restored from a backup with its finalizer can be deleted', async () => {
    await bed.namespace.apply(account());
    await bed.namespace.apply({
      ...address('restored', hook('/restored')),
      metadata: { name: 'restored', finalizers: ['inlet.email/operator', 'example.com/other'] },
    });
    await bed.namespace.untilReady('inboundaddress/restored');
    await bed.namespace.delete('inboundaddress/restored', '--wait=false');
    await until(
      'only other finalizers to remain',
      async () =>
        (await bed.namespace.get('inboundaddress/restored'))?.metadata.finalizers?.join() ===
        'example.com/other',
    );
    await bed.namespace.patch('inboundaddress/restored', { metadata: { finalizers: null } });
    expect(await bed.namespace.get('inboundaddress/restored')).toBeUndefined();
  });

  test('D8: a deleted address refuses mail; an account waits for its resources, then is suspended', async () => {
    const accounts = createAccounts(bed.pipeline.mongo.db);
    await bed.namespace.apply(
      account('leaver'),
      address('last', hook('/last'), { accountRef: { name: 'leaver' } }),
    );
    const { status } = await bed.namespace.untilReady('inboundaddress/last');
    const { status: accountStatus } = await bed.namespace.untilReady('account/leaver');
    await bed.namespace.delete('account/leaver', '--wait=false');
    const blocked = await until('the condition', async () =>
      (await bed.namespace.get('account/leaver'))?.status?.conditions?.find(
        ({ reason }) => reason === 'InUse',
      ),
    );
    expect(blocked.message).toContain('InboundAddress last');
    expect(await rcpt(String(status?.address))).toMatch(/^250/);

    await bed.namespace.delete('inboundaddress/last');
    expect(await rcpt(String(status?.address))).toMatch(/^550 5\.1\.1/);
    await until(
      'the account to be deleted',
      async () => (await bed.namespace.get('account/leaver')) === undefined,
    );
    const left = await accounts.find(String(accountStatus?.id));
    expect([left?.suspended_at, left?.managed_by]).toEqual([expect.any(Date), undefined]);
  });

  test('settings, plan and suspension of an account follow its resource', async () => {
    const accounts = createAccounts(bed.pipeline.mongo.db);
    await bed.namespace.apply(
      account('big', {
        plan: 'pro',
        settings: { timezone: 'Asia/Kolkata', webhookRetryAttempts: 2 },
      }),
    );
    const { status } = await bed.namespace.untilReady('account/big');
    const id = String(status?.id);
    expect(await accounts.find(id)).toMatchObject({
      plan: 'pro',
      settings: { timezone: 'Asia/Kolkata', webhook_retry_attempts: 2, default_ttl_hours: 24 },
    });
    await bed.namespace.patch('account/big', { spec: { suspended: true, company: 'Big Ltd' } });
    await bed.namespace.untilReady('account/big', 'Suspended');
    expect(await accounts.find(id)).toMatchObject({
      company: 'Big Ltd',
      suspended_at: expect.any(Date) as Date,
    });
    await bed.namespace.patch('account/big', { spec: { suspended: false } });
    await bed.namespace.untilReady('account/big');
    await bed.namespace.patch('account/big', { spec: { plan: 'none' } });
    await bed.namespace.untilReady('account/big', 'UnknownPlan');
  });
});

const tools = await findPrometheus();

test.skipIf(tools === undefined)(
  'the operator on the dashboards: every query finds what a Prometheus has scraped',
  async () => {
    if (tools === undefined) return;
    await bed.namespace.apply(account(), address('measured', hook('/measured')));
    await bed.namespace.untilReady('inboundaddress/measured');
    await using dir = await testDir();
    await using prometheus = await startPrometheus(tools, {
      dir: dir.path,
      jobs: { operator: [operator.metricsHost] },
      ruleFiles: [],
    });
    await until(
      'two scrapes',
      async () =>
        (await prometheus.query('rate(inlet_operator_reconciles_total[30s]) > 0')).length > 0,
    );
    const queries = Object.values(DASHBOARDS.overview?.rows ?? {})
      .flat()
      .flatMap((panel) => panel.queries.map(([expr]) => expr))
      .filter((expr) => expr.includes('inlet_operator_'));
    expect(queries.length).toBe(7);
    for (const expr of queries) {
      const answer = await prometheus.query(
        expr.replaceAll(/\$(namespace|pod)\b/g, '.*').replaceAll('$__rate_interval', '30s'),
      );
      expect([expr, answer.some(({ value }) => Number.isFinite(Number(value[1])))]).toEqual([
        expr,
        true,
      ]);
    }
    expect(
      await prometheus.query(
        'count(inlet_backend_connected{component="operator",backend=~"kubernetes|mongodb|nats"} == 1)',
      ),
    ).toMatchObject([{ value: [expect.any(Number), '3'] }]);
  },
);
