/** Values that operators use for a while or add: maintenance, and the exporter of the docs. */
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { codeBlocks, readPage } from '../docs/pages.ts';
import { find, helm, podOf, PROFILES, rendered, sets } from './render.ts';

const SERVICES = ['gateway', 'dispatcher', 'api', 'operator'];
const SCALED = ['gateway', 'dispatcher', 'api'].flatMap((service) =>
  sets(`${service}.autoscaling.enabled=true`),
);

describe.skipIf(helm === undefined)('operations (skipped without helm)', () => {
  test('O.3: with maintenance no service runs, and nothing starts one; one pod waits for commands', async () => {
    const manifests = await rendered(
      ...PROFILES.production,
      ...SCALED,
      ...sets('maintenance=true'),
    );
    const replicas = SERVICES.map(
      (service) => find(manifests, 'Deployment', `inlet-${service}`).spec.replicas,
    );
    expect(replicas).toEqual([0, 0, 1, 0]);
    const kinds = new Set(manifests.map(({ kind }) => kind));
    expect([kinds.has('HorizontalPodAutoscaler'), kinds.has('ScaledObject')]).toEqual([
      false,
      false,
    ]);
    const api = podOf(find(manifests, 'Deployment', 'inlet-api'))?.containers[0];
    expect(api?.args?.[0]).toBe('-e');
    expect(api).not.toHaveProperty('readinessProbe');
    expect(api?.env?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['MONGODB_URI', 'NATS_URL', 'SECRET_KEYS']),
    );
  });

  test('O.6: the exporter of docs/monitoring.md runs next to each NATS node and is reached', async () => {
    const block = codeBlocks(await readPage('docs/monitoring.md')).find(({ code }) =>
      code.includes('prometheus-nats-exporter'),
    );
    const values = parse(block?.code ?? '') as { nats: object; extraObjects: object[] };
    const manifests = await rendered(
      ...PROFILES.production,
      ...Object.entries(values.nats).flatMap(([name, value]) => [
        '--set-json',
        `nats.${name}=${JSON.stringify(value)}`,
      ]),
      '--set-json',
      `extraObjects=${JSON.stringify(values.extraObjects)}`,
    );
    expect(
      podOf(find(manifests, 'StatefulSet', 'inlet-nats'))?.containers.map(({ name }) => name),
    ).toEqual(['nats', 'exporter']);
    expect(JSON.stringify(find(manifests, 'NetworkPolicy', 'inlet-nats'))).toContain('"exporter"');
    expect(find(manifests, 'PodMonitor', 'inlet-nats')).toMatchObject({
      spec: { podMetricsEndpoints: [{ port: 'exporter' }] },
    });
  });
});
