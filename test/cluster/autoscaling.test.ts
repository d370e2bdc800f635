/**
 * Autoscaling on a real cluster, by HorizontalPodAutoscalers of the chart, prometheus-adapter and
 * Prometheus. Dispatchers follow the backlog of first attempts, not the emails that wait for a
 * retry. Gateways follow their connections, and lose no email when they are removed.
 */
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

import { CHART } from '../support/charts.ts';
import type { Helm } from '../support/helm.ts';
import { noteSkip } from '../support/skip-notes.ts';
import { until } from '../support/until.ts';
import { address } from '../support/manifests.ts';
import { createNamespace, kubectl, type Namespace } from './kubectl.ts';
import { findPrograms, startMetricsAdapter } from './metrics-adapter.ts';
import {
  ask,
  clusterHelm,
  type ReceiverState,
  setOptions,
  startMailing,
  underLoad,
  uninstall,
  WAIT,
} from './release.ts';

const RELEASE = 'scaled';
const NAME = 'scaled-inlet';
const MAX = 3;
/** The sender of underLoad() has six connections. */
const CONNECTIONS_PER_GATEWAY = 10;
const IDLE_CLIENTS = 24;
const SENDERS = 6;
const FAILING_EMAILS = 60;
/** The autoscaler looks every 15 seconds. */
const SCALED_WITHIN_MS = 120_000;
/** Attempts fail while processors are short. */
const ARRIVED_WITHIN_MS = 400_000;

/** This machine scrapes pods, and the API server calls it. Neither works with a node elsewhere. */
const node = await kubectl([
  'get',
  'nodes',
  '-o',
  'jsonpath={.items[0].status.addresses[0].address}',
]);
const isNode = Object.values(networkInterfaces())
  .flat()
  .some((network) => network?.address === node);
if (!isNode) noteSkip(`this machine is not the cluster's node, ${node}`);

const parts = new AsyncDisposableStack();
let helm: Helm;
let namespace: Namespace;
let smtpHost: string;
let metrics: Awaited<ReturnType<typeof startMetricsAdapter>>;

beforeAll(async () => {
  const { takeOver, ...found } = await clusterHelm();
  helm = found.helm;
  const programs = await findPrograms();
  const { repository, tag } = inject('images');
  namespace = parts.use(await createNamespace());
  const quickly = 'autoscaling.behavior.scaleDown.stabilizationWindowSeconds';
  const settings = {
    inboundDomain: 'in.example.com',
    'image.repository': repository,
    'image.tag': tag,
    'operator.namespaces': `{${namespace.name}}`,
    'webhooks.allowedNetworks': '{10.0.0.0/8}',
    'gateway.preStopSeconds': '5',
    'gateway.terminationGracePeriodSeconds': '50',
    'gateway.autoscaling.enabled': 'true',
    'gateway.autoscaling.minReplicas': '1',
    'gateway.autoscaling.maxReplicas': String(MAX),
    'gateway.autoscaling.targetCPUUtilizationPercentage': '0',
    'gateway.autoscaling.targetConnections': String(CONNECTIONS_PER_GATEWAY),
    [`gateway.${quickly}`]: '0',
    'dispatcher.autoscaling.enabled': 'true',
    'dispatcher.autoscaling.kind': 'hpa',
    'dispatcher.autoscaling.minReplicas': '1',
    'dispatcher.autoscaling.maxReplicas': String(MAX),
    'dispatcher.autoscaling.targetBacklog': '5',
    [`dispatcher.${quickly}`]: '0',
    'config.RETRY_SCHEDULE': '1s\\,10s\\,20s\\,30s\\,5m\\,30m',
    'gateway.resources.requests.cpu': '10m',
    'dispatcher.resources.requests.cpu': '10m',
    'dispatcher.resources.limits.cpu': '100m', // less than the emails of the test need
  };
  const profile = ['-f', join(CHART, 'values-evaluation.yaml')];
  await helm(
    'install',
    RELEASE,
    CHART,
    '-n',
    namespace.name,
    ...profile,
    ...setOptions(settings),
    ...takeOver,
    ...WAIT,
  );
  metrics = parts.use(await startMetricsAdapter(namespace, { programs, host: node }));
  await startMailing(namespace, { release: NAME, image: `${repository}:${tag}` });
  const receiver = `https://receiver.${namespace.name}.svc:8443`;
  await namespace.apply(
    address('busy', `${receiver}/busy`),
    address('failing', `${receiver}/failing`),
  );
  smtpHost = await namespace.run(
    'get',
    `service/${NAME}-gateway`,
    '-o',
    'jsonpath={.spec.clusterIP}',
  );
});

afterAll(async () => {
  if (namespace !== undefined) await uninstall(helm, RELEASE, namespace);
  await parts.disposeAsync();
});

const replicas = async (component: string): Promise<number> =>
  Number((await namespace.get(`deployment/${NAME}-${component}`))?.status?.readyReplicas ?? 0);

const untilScaled = (component: string, to: number) =>
  until(
    `${to} pods of the ${component}`,
    async () => {
      await sleep(500); // each look starts a process
      return (await replicas(component)) === to;
    },
    SCALED_WITHIN_MS,
  ).catch(async (cause: unknown) => {
    throw new Error(await namespace.run('describe', `hpa/${NAME}-${component}`), { cause });
  });

/** What the autoscaler of the dispatchers saw last, for each pod. */
async function backlogSeen(): Promise<string> {
  const hpa = await namespace.get(`hpa/${NAME}-dispatcher`);
  const [metric] = (hpa?.status?.currentMetrics ?? []) as {
    external?: { current: { averageValue: string } };
  }[];
  return metric?.external?.current.averageValue ?? 'nothing yet';
}

async function sleepingRetries(): Promise<number> {
  const [found] = await metrics.query('max(sum by (pod) (inlet_queue_mails{lane="retry"}))');
  return Number(found?.value[1] ?? 0);
}

async function mailbox(name: string): Promise<string> {
  return String((await namespace.untilReady(`inboundaddress/${name}`)).status?.address);
}

function mailer() {
  const transport = createTransport({
    host: smtpHost,
    port: 25,
    pool: true,
    maxConnections: SENDERS,
    tls: { rejectUnauthorized: false },
  });
  const send = (to: string, subject: string) =>
    transport.sendMail({ from: 'load@example.com', to, subject, text: 'text' });
  return { send, [Symbol.dispose]: () => transport.close() };
}

async function openIdleClients(): Promise<Disposable> {
  const sockets: Socket[] = [];
  for (let client = 0; client < IDLE_CLIENTS; client++) {
    const socket = connect(25, smtpHost).on('error', () => undefined);
    await new Promise((resolve) => socket.once('data', resolve)); // its greeting
    sockets.push(socket);
  }
  return { [Symbol.dispose]: () => sockets.forEach((socket) => socket.destroy()) };
}

test.runIf(isNode)(
  'dispatchers scale out under a backlog of first attempts and back in when it is gone',
  async () => {
    const busy = await mailbox('busy');
    using mail = mailer();
    let isSending = true;
    let sent = 0;
    const sending = Promise.all(
      Array.from({ length: SENDERS }, async () => {
        for (; isSending; sent++) await mail.send(busy, 'busy');
      }),
    );
    await untilScaled('dispatcher', MAX).finally(() => (isSending = false));
    await sending;
    await untilScaled('dispatcher', 1);
    expect(await backlogSeen()).toBe('0');
    await until(
      `all ${sent} emails to arrive, some by a retry`,
      async () => (await ask<ReceiverState>(namespace, 'receiver', 'state')).busyEvents === sent,
      ARRIVED_WITHIN_MS,
    );
  },
  700_000,
);

test.runIf(isNode)(
  'gateways follow connections and drain without a lost email; sleeping retries do not count',
  async () => {
    const failing = await mailbox('failing');
    {
      using mail = mailer();
      for (let sent = 0; sent < FAILING_EMAILS; sent++) await mail.send(failing, `fails ${sent}`);
    }
    await until(
      'the retries to sleep',
      async () => (await sleepingRetries()) >= FAILING_EMAILS,
      60_000,
    );

    const sent = await underLoad(namespace, async () => {
      const clients = await openIdleClients();
      await untilScaled('gateway', MAX).finally(() => clients[Symbol.dispose]());
      await untilScaled('gateway', 1);
    });
    expect(sent.rejected).toEqual([]);
    expect(sent.accepted.length).toBeGreaterThan(100);

    await untilScaled('dispatcher', 1);
    await until('the backlog of the load to be gone', async () => (await backlogSeen()) === '0');
    expect(await sleepingRetries()).toBeGreaterThanOrEqual(FAILING_EMAILS);
  },
  300_000,
);
