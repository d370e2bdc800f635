/**
 * The operator creates working accounts, addresses and tokens from resources, and corrects drift in
 * their records and Secrets.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createAccounts } from '../../services/adapters/mongo/account/accounts.ts';
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

const HOUR_MS = 3_600_000;

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

  test('a resource gets a Secret or address name soon after its former owner is deleted', async () => {
    const spec = { localPart: 'renamed', secretName: 'renamed' };
    await using other = await createNamespace();
    await bed.grant(other);
    await using calm = await bed.start(
      { LEASE_NAME: 'calm', WATCH_NAMESPACES: other.name },
      { resyncMs: HOUR_MS },
    );
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

  test('a namespace can be deleted with all its resources', async () => {
    await using _grant = await grantEverywhere(bed.namespace);
    await using own = await createNamespace();
    await using _operator = await bed.start(
      { LEASE_NAME: 'ending', WATCH_NAMESPACES: own.name },
      { resyncMs: HOUR_MS },
    );
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
