/** The profile for one node or a few, and MongoDB of the chart with one member and with three. */
import { describe, expect, test } from 'vitest';

import { find, helm, type Manifest, podOf, PROFILES, rendered, sets, template } from './render.ts';

const { small } = PROFILES;
const THREE = sets('mongodb.replicaCount=3');

const ofKind = (made: readonly Manifest[], kind: string) =>
  made.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name);

const uriOf = (made: readonly Manifest[]) =>
  podOf(find(made, 'Deployment', 'inlet-api'))?.containers[0]?.env?.find(
    ({ name }) => name === 'MONGODB_URI',
  )?.value ?? '';

const setupJob = (made: readonly Manifest[]) =>
  made.find(({ kind, metadata }) => kind === 'Job' && /mongodb-setup/.test(metadata.name));

const milli = (cpu: string) => (cpu.endsWith('m') ? Number.parseInt(cpu) : Number(cpu) * 1_000);

describe.skipIf(helm === undefined)('the small profile (skipped without helm)', () => {
  test('two pods of each service on the path of mail, one NATS node and one MongoDB', async () => {
    const made = await rendered(...small);
    const replicas = Object.fromEntries(
      made
        .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
        .map(({ metadata, spec }) => [metadata.name, spec['replicas']]),
    );
    expect(replicas).toEqual({
      'inlet-gateway': 2,
      'inlet-dispatcher': 2,
      'inlet-api': 2,
      'inlet-operator': 1,
      'inlet-nats': 1,
      'inlet-mongodb': 1,
    });
  });

  test('a 250 means that the only disk has the email', async () => {
    const { data } = find(await rendered(...small), 'ConfigMap', 'inlet-nats');
    expect(data?.['nats.conf']).toContain('sync_interval: always');
  });

  test('budgets for what has two pods, none that would block a drain, policies and alerts', async () => {
    const made = await rendered(...small);
    expect(ofKind(made, 'PodDisruptionBudget').toSorted()).toEqual([
      'inlet-api',
      'inlet-dispatcher',
      'inlet-gateway',
    ]);
    expect(ofKind(made, 'NetworkPolicy')).toContain('inlet-default-deny');
    expect(ofKind(made, 'PrometheusRule')).toEqual(['inlet-inlet', 'inlet-slo']);
    expect(ofKind(made, 'PodMonitor')).toEqual(['inlet']);
  });

  test('it fits on one node of two cores and four GB, as the page says', async () => {
    let [cpu, memory] = [0, 0];
    for (const manifest of await rendered(...small))
      if (manifest.kind === 'Deployment' || manifest.kind === 'StatefulSet')
        for (const { resources } of podOf(manifest)?.containers ?? []) {
          const { requests } = resources as { requests: { cpu: string; memory: string } };
          const pods = Number(manifest.spec['replicas']);
          cpu += pods * milli(requests.cpu);
          memory += pods * Number.parseInt(requests.memory); // Mi
        }
    expect({ cpu, memory }).toEqual({ cpu: 850, memory: 2_560 });
  });

  test('three members: a budget, a name each for the services and for the Job that adds them', async () => {
    const [one, three] = [await rendered(...small), await rendered(...small, ...THREE)];
    const hosts = [0, 1, 2].map((i) => `inlet-mongodb-${i}.inlet-mongodb.mail.svc:27017`);
    expect(uriOf(one)).toContain(`@${hosts[0]}/`);
    expect(uriOf(three)).toContain(`@${hosts.join(',')}/`);
    expect(ofKind(three, 'PodDisruptionBudget')).toContain('inlet-mongodb');
    expect(setupJob(three)?.metadata.name).not.toBe(setupJob(one)?.metadata.name);
    expect(JSON.stringify(setupJob(three))).toContain(hosts.join(','));
  });

  test('two members have no majority without one of them, and are refused', async () => {
    await expect(template([...small, ...sets('mongodb.replicaCount=2')])).rejects.toThrow(
      /replicaCount/,
    );
  });
});
