/**
 * The operator creates working addresses from resources, and lets them go. test/operator has what it corrects and
 * refuses.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

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
