/**
 * A release of the chart in a namespace with "restricted" pod security, and pods of a sender and a
 * receiver.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { inject } from 'vitest';

import { CHART } from '../support/charts.ts';
import { findHelm, type Helm } from '../support/helm.ts';
import { until } from '../support/until.ts';
import { account, address, token } from '../support/manifests.ts';
import type { Found, Namespace } from './kubectl.ts';

/**
 * helm, and its options to take over the CRDs. These belong to the whole cluster: other tests, or a
 * release of another name, may have created them.
 * @throws without helm
 */
export async function clusterHelm(): Promise<{ helm: Helm; takeOver: string[] }> {
  const helm = await findHelm();
  if (helm === undefined) throw new Error('no helm: set HELM_BIN, or have helm or go on PATH');
  const isHelm3 = (await helm('version', '--short')).startsWith('v3');
  return { helm, takeOver: ['--take-ownership', ...(isHelm3 ? [] : ['--force-conflicts'])] };
}

/** Until everything is ready. A busy machine starts the pods of three releases in minutes. */
export const WAIT = ['--wait', '--timeout', '800s'];

/** Uninstalls a release, if it is installed. */
export const uninstall = (helm: Helm, release: string, { name }: Namespace): Promise<unknown> =>
  helm('uninstall', release, '-n', name, '--ignore-not-found', '--wait', '--timeout', '300s').catch(
    () => undefined,
  );

/** The options of helm for these values. */
export const setOptions = (settings: Readonly<Record<string, string>>): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]);

/**
 * Installs the evaluation profile, with custom resources in its namespace only.
 * @returns the image
 */
export async function installEvaluation(
  { helm, takeOver }: Awaited<ReturnType<typeof clusterHelm>>,
  { name: namespace }: Namespace,
  { release }: { release: string },
): Promise<string> {
  const { repository, tag } = inject('images');
  const values = {
    inboundDomain: 'in.example.com',
    'image.repository': repository,
    'image.tag': tag,
    'operator.namespaces': `{${namespace}}`,
    'webhooks.allowedNetworks': '{10.0.0.0/8}',
  };
  const profile = ['-f', join(CHART, 'values-evaluation.yaml')];
  const options = [...profile, ...setOptions(values), ...takeOver, ...WAIT];
  await helm('install', release, CHART, '-n', namespace, ...options);
  return `${repository}:${tag}`;
}

/** Changes a copy of a chart. */
export async function replaceIn(file: string, part: string | RegExp, text: string): Promise<void> {
  await writeFile(file, (await readFile(file, 'utf8')).replace(part, text));
}

export type SenderState = {
  isSending: boolean;
  accepted: string[];
  refusedConnections: number;
  brokenConnections: number;
  /** Emails that got a 4xx before their 250, also a 421 between two commands. */
  deferred: number;
  /** From the first attempt to send an email until its 250. */
  longestWaitMs: number;
  /** Between two 250s, of all senders. */
  longestGapMs: number;
  rejected: string[];
  workers: number;
};
export type ReceiverState = {
  subjects: Record<string, number>;
  badSignatures: number;
  /** Emails that arrived at /busy, repeats not counted. */
  busyEvents: number;
};

const RESTRICTED = {
  runAsNonRoot: true,
  runAsUser: 65_532,
  runAsGroup: 65_532,
  fsGroup: 65_532,
  seccompProfile: { type: 'RuntimeDefault' },
};

/** A variable from the Secret that a resource names. */
const from = (name: string, resource: Found | undefined, key: string) => ({
  name,
  valueFrom: { secretKeyRef: { name: String(resource?.status?.secretName), key } },
});

/**
 * Creates the resources of an account with one address, the receiver of its webhooks, and a sender
 * that mails to it.
 */
export async function startMailing(
  namespace: Namespace,
  { release, image }: { release: string; image: string },
): Promise<void> {
  await namespace.apply(
    account('shop'),
    token('first'),
    address('orders', `https://receiver.${namespace.name}.svc:8443/orders`),
  );
  const [, apiToken, orders] = await Promise.all(
    ['account/shop', 'apitoken/first', 'inboundaddress/orders'].map((what) =>
      namespace.untilReady(what),
    ),
  );
  await runScript(namespace, {
    name: 'receiver',
    image,
    env: [
      from('WEBHOOK_SECRET', orders, 'webhook_secret'),
      { name: 'API_HOST', value: `${release}-api` },
    ],
    tlsSecret: `${release}-trial-tls`,
  });
  await runScript(namespace, {
    name: 'sender',
    image,
    env: [
      { name: 'SMTP_HOST', value: `${release}-gateway` },
      from('ADDRESS', orders, 'address'),
      from('TOKEN', apiToken, 'token'),
    ],
  });
}

type ScriptName = 'sender' | 'receiver';
type Script = { name: ScriptName; image: string; env: object[]; tlsSecret?: string };

/** Runs test/cluster/pods/NAME.mjs in a pod of the services' image. */
async function runScript(
  namespace: Namespace,
  { name, image, env, tlsSecret }: Script,
): Promise<void> {
  const script = await readFile(join(import.meta.dirname, 'pods', `${name}.mjs`), 'utf8');
  const labels = { app: name };
  await namespace.apply(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { 'main.mjs': script } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { selector: labels, ports: [{ name: 'https', port: 8443 }] },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels },
      spec: {
        terminationGracePeriodSeconds: 1,
        automountServiceAccountToken: false,
        securityContext: RESTRICTED,
        containers: [
          {
            name,
            image,
            imagePullPolicy: 'IfNotPresent',
            args: ['/scripts/main.mjs'],
            env,
            readinessProbe: { httpGet: { path: '/state', port: 8080 }, periodSeconds: 1 },
            resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '256Mi' } },
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
            volumeMounts: [
              { name: 'scripts', mountPath: '/scripts' },
              ...(tlsSecret === undefined ? [] : [{ name: 'tls', mountPath: '/tls' }]),
            ],
          },
        ],
        volumes: [
          { name: 'scripts', configMap: { name } },
          ...(tlsSecret === undefined ? [] : [{ name: 'tls', secret: { secretName: tlsSecret } }]),
        ],
      },
    },
  );
  await namespace.run('wait', '--for=condition=Ready', `pod/${name}`, '--timeout=300s');
}

/** A pod that listens on port 53. */
export async function runListener(namespace: Namespace, image: string): Promise<void> {
  await namespace.apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'listener', labels: { app: 'listener' } },
    spec: {
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      securityContext: RESTRICTED,
      containers: [
        {
          name: 'listener',
          image,
          imagePullPolicy: 'IfNotPresent',
          args: ['-e', "require('node:net').createServer().listen(53)"],
          readinessProbe: { tcpSocket: { port: 53 }, periodSeconds: 1 },
        },
      ],
    },
  });
  await namespace.run('wait', '--for=condition=Ready', 'pod/listener', '--timeout=300s');
}

const POLL_MS = 300; // each poll starts a process

/** Requests a path of a script's pod through the API server. */
export async function ask<T>(namespace: Namespace, script: ScriptName, page: string): Promise<T> {
  await sleep(POLL_MS);
  return JSON.parse(
    await namespace.run(
      'get',
      '--raw',
      `/api/v1/namespaces/${namespace.name}/pods/${script}:8080/proxy/${page}`,
    ),
  ) as T;
}

/** Sends mail during `work`. Afterwards every email that got a 250 must arrive as a webhook. */
export async function underLoad(
  namespace: Namespace,
  work: () => Promise<unknown>,
): Promise<SenderState> {
  await ask(namespace, 'sender', 'start?pause=100'); // leaves processor time to pods that start
  try {
    await untilAccepted(namespace, 20);
    await work();
    const { accepted } = await ask<SenderState>(namespace, 'sender', 'state');
    await untilAccepted(namespace, accepted.length + 20);
  } finally {
    await ask(namespace, 'sender', 'stop');
  }
  const sent = await until(
    'the senders to stop',
    async () => {
      const state = await ask<SenderState>(namespace, 'sender', 'state');
      return state.workers === 0 ? state : undefined;
    },
    60_000,
  );
  await until(
    'every email with a 250 to arrive',
    async () => {
      const { subjects } = await ask<ReceiverState>(namespace, 'receiver', 'state');
      return sent.accepted.every((subject) => subject in subjects);
    },
    120_000,
  ).catch(async (cause: unknown) => {
    const { subjects } = await ask<ReceiverState>(namespace, 'receiver', 'state');
    throw new Error(
      `lost after a 250: ${sent.accepted.filter((subject) => !(subject in subjects)).join(', ')}`,
      { cause },
    );
  });
  return sent;
}

async function untilAccepted(namespace: Namespace, count: number): Promise<void> {
  let state: SenderState | undefined;
  await until(
    'mail to flow',
    async () => {
      state = await ask<SenderState>(namespace, 'sender', 'state');
      return state.accepted.length >= count;
    },
    60_000,
  ).catch((cause: unknown) => {
    throw new Error(
      `mail does not flow: ${JSON.stringify({ ...state, accepted: state?.accepted.length })}`,
      { cause },
    );
  });
}
