/** `kubectl inlet report`: versions, conditions, events and logs in one archive, without secrets. */
import { writeFile } from 'node:fs/promises';

import { createTarGzip } from 'nanotar';

import { causesOf } from '../terminal/fault-text.ts';
import {
  type Installation,
  INSTANCE,
  type KubeList,
  type KubeObject,
  resourcesOf,
} from './cluster/installation.ts';
import type { Kubectl } from './cluster/kubectl.ts';
import { createRedaction, withoutSecrets } from './cluster/redaction.ts';
import { gatherStatus, READ_METRICS } from './cluster/status.ts';

type ReportFile = { name: string; data: string };

const LOG_OPTIONS = ['--tail=5000', '--limit-bytes=2000000', '--timestamps'];
const KINDS = [
  'deployments',
  'statefulsets',
  'pods',
  'services',
  'jobs',
  'persistentvolumeclaims',
  'horizontalpodautoscalers',
  'poddisruptionbudgets',
  'networkpolicies',
];

/** The files of the archive. `README.txt` names the files that could not be read. */
export async function gatherReport(
  kubectl: Kubectl,
  installation: Installation,
  version: string,
): Promise<ReportFile[]> {
  const { namespace, release, image } = installation;
  const own = kubectl.in(namespace);
  const selector = `${INSTANCE}=${release}`;
  const missing: string[] = [];
  const read = async (name: string, reading: Promise<string>): Promise<ReportFile[]> =>
    reading.then(
      (data) => [{ name, data }],
      (error: unknown) => {
        missing.push(`${name}: ${causesOf(error)}`);
        return [];
      },
    );
  const objects = (name: string, reading: Promise<unknown>) =>
    read(
      `${name}.json`,
      reading.then((list) => textOf(withoutSecrets(list))),
    );

  const resources = await resourcesOf(kubectl, installation).catch((error: unknown) => {
    missing.push(`resources.json: ${causesOf(error)}`);
    return undefined;
  });
  const namespaces = (resources ?? []).map(({ metadata }) => metadata.namespace);
  const secrets: string[] = [];
  for (const one of new Set([namespace, ...namespaces]))
    await secretsIn(kubectl.in(one)).then(
      (values) => void secrets.push(...values),
      (error: unknown) =>
        missing.push(`Secrets of ${one}, to remove their values: ${causesOf(error)}`),
    );
  const pods = await own
    .json<KubeList<Pod>>('get', 'pods', '-l', selector)
    .catch((): KubeList<Pod> => ({ items: [] }));
  const files = [
    ...(await read(
      'versions.json',
      own
        .json<object>('version')
        .then((one) => textOf({ inlet: installation.version, image, command: version, ...one })),
    )),
    ...(await read('status.json', gatherStatus(kubectl, installation).then(textOf))),
    ...(await objects('events', own.json('get', 'events'))),
    ...(resources === undefined
      ? []
      : await objects('resources', Promise.resolve({ items: resources }))),
    ...(await objects(
      'nodes',
      kubectl.json<KubeList>('get', 'nodes').then(({ items }) => items.map(nodeInfo)),
    )),
  ];
  for (const kind of KINDS)
    files.push(...(await objects(`objects/${kind}`, own.json('get', kind, '-l', selector))));
  for (const { metadata, spec, status } of pods.items)
    for (const { name: container } of spec.containers) {
      const name = `${metadata.name}-${container}`;
      const logs = ['logs', metadata.name, '-c', container, ...LOG_OPTIONS];
      files.push(...(await read(`logs/${name}.log`, own.run(...logs))));
      if (status?.containerStatuses?.some((one) => one.name === container && one.restartCount > 0))
        files.push(...(await read(`logs/${name}.previous.log`, own.run(...logs, '--previous'))));
      if (spec.containers.length > 0 && SERVICES.has(container)) {
        const metrics = ['exec', metadata.name, '-c', container, '--', 'node', '-e', READ_METRICS];
        files.push(...(await read(`metrics/${name}.txt`, own.run(...metrics))));
      }
    }
  const redact = createRedaction(secrets);
  return [{ name: 'README.txt', data: readme(installation, missing) }, ...files].map(
    ({ name, data }) => ({ name, data: redact(data) }),
  );
}

export async function writeArchive(path: string, files: readonly ReportFile[]): Promise<void> {
  const folder = 'inlet-report/';
  const archive = await createTarGzip(
    files.map(({ name, data }) => ({ name: folder + name, data })),
  );
  await writeFile(path, archive, { mode: 0o600 });
}

type Pod = KubeObject & {
  spec: { containers: { name: string }[] };
  status?: { containerStatuses?: { name: string; restartCount: number }[] };
};

const SERVICES = new Set(['gateway', 'dispatcher', 'api', 'operator']);

const textOf = (data: unknown): string => `${JSON.stringify(data, undefined, 2)}\n`;

/**
 * The values of the Secrets of a namespace in which Inlet or one of its resources is. They are only
 * read to find them in other texts: no Secret is in the report.
 */
async function secretsIn(kubectl: Kubectl): Promise<string[]> {
  const { items } = await kubectl.json<KubeList<Secret>>('get', 'secrets');
  return items
    .filter(({ type }) => !type?.startsWith('helm.sh/'))
    .flatMap(({ data = {} }) => Object.values(data))
    .map((text) => Buffer.from(text, 'base64').toString());
}

type Secret = KubeObject & { type?: string; data?: Record<string, string> };

const nodeInfo = ({ metadata, status = {} }: KubeObject) => ({
  name: metadata.name,
  nodeInfo: status.nodeInfo,
  allocatable: status.allocatable,
  conditions: status.conditions,
});

const readme = ({ release, namespace }: Installation, missing: readonly string[]): string =>
  `A report on the release ${release} of Inlet in the namespace ${namespace}, made at ` +
  `${new Date().toISOString()} by kubectl inlet report.

It has no Secrets, no content of emails, and no local parts of email addresses. The values of
Secrets, tokens, and the paths of webhook and notification URLs are replaced by [redacted]. Read it
before you send it.
${missing.length === 0 ? '' : `\nNot read:\n${missing.map((line) => `- ${line}\n`).join('')}`}`;
