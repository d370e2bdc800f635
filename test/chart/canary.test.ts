/** The CronJob of the canary, and what the API is told about it. */
import { describe, expect, test } from 'vitest';

import { find, helm, type Manifest, podOf, PROFILES, rendered, sets } from './render.ts';

const { evaluation, production } = PROFILES;

const WATCHED = sets(
  'canary.enabled=true',
  'canary.address=canary@in.example.com',
  'canary.existingSecret=inlet-canary',
  'publicApiUrl=https://inlet.example.com/v1',
);
const named = (made: readonly Manifest[]) =>
  made.filter(({ metadata }) => metadata.name === 'inlet-canary').map(({ kind }) => kind);
const envOf = (made: readonly Manifest[]) =>
  podOf(find(made, 'Deployment', 'inlet-api'))?.containers[0]?.env ?? [];

describe.skipIf(helm === undefined)('canary (skipped without helm)', () => {
  test('there is none by default', async () => {
    for (const profile of [evaluation, production]) {
      const made = await rendered(...profile);
      expect(named(made)).toEqual([]);
      expect(envOf(made).map(({ name }) => name)).not.toContain('CANARY_ADDRESS');
    }
  });

  test('a bounded CronJob without rights, its policy, and the settings of the API', async () => {
    const made = await rendered(...production, ...WATCHED, ...sets('canary.host=mx.example.com'));
    expect(named(made).toSorted()).toEqual(['CronJob', 'NetworkPolicy', 'ServiceAccount']);
    const { spec } = find(made, 'CronJob', 'inlet-canary') as unknown as {
      spec: {
        schedule: string;
        concurrencyPolicy: string;
        jobTemplate: { spec: { activeDeadlineSeconds: number; template: { spec: object } } };
      };
    };
    expect(spec).toMatchObject({ schedule: '*/5 * * * *', concurrencyPolicy: 'Forbid' });
    const job = spec.jobTemplate.spec;
    expect(job.activeDeadlineSeconds).toBeLessThan(300);
    expect(job.template.spec).toMatchObject({
      serviceAccountName: 'inlet-canary',
      automountServiceAccountToken: false,
      containers: [
        {
          args: [
            'services/cli/main.ts',
            'canary',
            'canary@in.example.com',
            '--json',
            '--timeout',
            '60s',
            '--port',
            '25',
            '--host',
            'mx.example.com',
          ],
          env: [
            { name: 'INLET_API_URL', value: 'https://inlet.example.com/v1' },
            {
              name: 'INLET_TOKEN',
              valueFrom: { secretKeyRef: { name: 'inlet-canary', key: 'INLET_TOKEN' } },
            },
          ],
        },
      ],
    });
    expect(
      made.filter(({ subjects }) => subjects?.some(({ name }) => name === 'inlet-canary')),
    ).toEqual([]);
    const { egress } = find(made, 'NetworkPolicy', 'inlet-canary').spec as unknown as {
      egress: { ports?: { port: number }[] }[];
    };
    expect(egress.flatMap(({ ports = [] }) => ports.map(({ port }) => port))).toContain(25);
    expect(envOf(made)).toEqual(
      expect.arrayContaining([
        { name: 'CANARY_ADDRESS', value: 'canary@in.example.com' },
        { name: 'CANARY_MAX_AGE', value: '20m' },
      ]),
    );
  });

  test('it trusts the authorities of webhooks.ca, which may be that of the API', async () => {
    const made = await rendered(
      ...production,
      ...WATCHED,
      ...sets('webhooks.ca.existingSecret=company'),
    );
    const { spec } = find(made, 'CronJob', 'inlet-canary') as unknown as {
      spec: { jobTemplate: { spec: { template: { spec: object } } } };
    };
    expect(spec.jobTemplate.spec.template.spec).toMatchObject({
      containers: [
        {
          env: [{}, {}, { name: 'INLET_CA_FILE', value: '/etc/inlet/webhook-ca/ca.crt' }],
          volumeMounts: [{ name: 'webhook-ca', mountPath: '/etc/inlet/webhook-ca' }],
        },
      ],
      volumes: [{ name: 'webhook-ca', secret: { secretName: 'company' } }],
    });
  });

  test('without a schedule, only the API watches: it is sent from elsewhere', async () => {
    const made = await rendered(
      ...production,
      ...sets('canary.enabled=true', 'canary.address=canary@in.example.com', 'canary.schedule='),
    );
    expect(named(made)).toEqual([]);
    expect(envOf(made).map(({ name }) => name)).toContain('CANARY_ADDRESS');
  });
});
