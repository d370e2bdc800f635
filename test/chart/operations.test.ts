/** Values that operators use for a while or add: maintenance, and the exporter of the docs. */
import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { codeBlocks, readPage } from '../docs/pages.ts';
import { testDir } from '../support/servers.ts';
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
    expect(api).not.toHaveProperty('ports'); // so that it is no endpoint of the Service
    expect(api?.env?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['MONGODB_URI', 'NATS_URL', 'SECRET_KEYS']),
    );
  });

  test.each([
    ['by default', [], undefined, undefined],
    ['with the setting', ['config.ENCRYPT_CONTENT=true'], 'true', 'inlet-keys'],
    [
      'switched off in one',
      ['config.ENCRYPT_CONTENT=true', 'gateway.config.ENCRYPT_CONTENT=false'],
      'false',
      undefined,
    ],
  ])(
    'D283: gateways have SECRET_KEYS only where they encrypt: %s',
    async (_, values, setting, secret) => {
      const manifests = await rendered(...PROFILES.production, ...sets(...values));
      const env = podOf(find(manifests, 'Deployment', 'inlet-gateway'))?.containers[0]?.env ?? [];
      const variable = (name: string) =>
        env.find((one) => one.name === name) as
          { value?: string; valueFrom?: { secretKeyRef: { name: string } } } | undefined;
      expect(variable('ENCRYPT_CONTENT')?.value).toBe(setting);
      expect(variable('SECRET_KEYS')?.valueFrom?.secretKeyRef.name).toBe(secret);
    },
  );

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

  const OK = { '/healthz?js-enabled-only=true': '200 OK', '/healthz': '200 OK' };
  const WRITE_ERROR = { ...OK, '/healthz': '503 Unavailable: T write error: no space left' };
  const ROOM_KIB = 70_000;
  test.each([
    ['a healthy node', OK, ROOM_KIB, true],
    ['a node without JetStream', { ...OK, '/healthz?js-enabled-only=true': '503' }, 0, false],
    ['a node whose disk is full', WRITE_ERROR, 100, true],
    ['a node whose disk was full and has room', WRITE_ERROR, ROOM_KIB, false],
    ['an image without nc', undefined, ROOM_KIB, true],
  ])('D164: the liveness of %s', async (_, answers, freeKib, isAlive) => {
    const manifests = await rendered(...PROFILES.production);
    const nats = podOf(find(manifests, 'StatefulSet', 'inlet-nats'))?.containers[0];
    const [shell = '', ...args] =
      (nats?.livenessProbe?.exec as { command: string[] } | undefined)?.command ?? [];
    await using bin = await testDir();
    const tool = (name: string, script: string) =>
      writeFile(join(bin.path, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    await symlink('/usr/bin/awk', join(bin.path, 'awk'));
    await tool('df', `echo header; echo tmpfs 100000 30000 ${freeKib} 30% /data`);
    const cases = Object.entries(answers ?? {}).map(
      ([path, status]) => `  "GET ${path} "*) echo "HTTP/1.0 ${status}";;`,
    );
    if (answers) await tool('nc', ['read -r line', 'case "$line" in', ...cases, 'esac'].join('\n'));
    const code = await new Promise((resolve) => {
      execFile(`/bin/${shell}`, args, { env: { PATH: bin.path } }, (error) =>
        resolve(error === null ? 0 : error.code),
      );
    });
    expect(code === 0).toBe(isAlive);
  });
});
