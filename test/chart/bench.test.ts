/** The load test of the chart: a CronJob that never runs by itself, its receiver, and who may reach what. */
import { describe, expect, test } from 'vitest';

import { runCommand } from '../support/inlet-command.ts';
import { find, helm, type Manifest, PROFILES, rendered, sets } from './render.ts';

const { evaluation, production } = PROFILES;
const ENABLED = sets('bench.enabled=true');

type Job = {
  activeDeadlineSeconds: number;
  backoffLimit: number;
  template: {
    spec: {
      affinity?: object;
      automountServiceAccountToken: boolean;
      serviceAccountName: string;
      containers: { args: string[]; env: { name: string; value?: string }[] }[];
    };
  };
};
const cronJob = (made: Manifest[]) =>
  find(made, 'CronJob', 'inlet-bench').spec as unknown as {
    suspend: boolean;
    jobTemplate: { spec: Job };
  };
const containerOf = (made: Manifest[]) => {
  const [container] = cronJob(made).jobTemplate.spec.template.spec.containers;
  if (container === undefined) throw new Error('no container');
  return container;
};

type Rule = {
  ports?: { port: number | string }[];
  from?: { podSelector?: { matchLabels?: Record<string, string> } }[];
  to?: Rule['from'];
};
const COMPONENT = 'app.kubernetes.io/component';
/** Which ports a policy opens for the load test, or for its own pods. */
const opened = (made: Manifest[], policy: string, way: 'ingress' | 'egress', to: string) =>
  ((find(made, 'NetworkPolicy', policy).spec as Record<string, Rule[]>)[way] ?? [])
    .filter((rule) =>
      (rule[way === 'ingress' ? 'from' : 'to'] ?? []).some(
        ({ podSelector }) => podSelector?.matchLabels?.[COMPONENT] === to,
      ),
    )
    .flatMap(({ ports = [] }) => ports.map(({ port }) => port));

describe.skipIf(helm === undefined)('load test (skipped without helm)', () => {
  test('there is none by default, and no policy names it', async () => {
    for (const profile of [evaluation, production])
      expect(JSON.stringify(await rendered(...profile))).not.toContain('bench');
  });

  test('a CronJob that is suspended, without rights, and bounded', async () => {
    const made = await rendered(...production, ...ENABLED, ...sets('bench.rates={100,200}'));
    const { suspend, jobTemplate } = cronJob(made);
    const { activeDeadlineSeconds, backoffLimit, template } = jobTemplate.spec;
    expect({ suspend, activeDeadlineSeconds, backoffLimit }).toEqual({
      suspend: true,
      activeDeadlineSeconds: 2 * (60 + 60) + 300,
      backoffLimit: 0,
    });
    expect(template.spec).toMatchObject({
      automountServiceAccountToken: false,
      serviceAccountName: 'inlet-bench',
      affinity: { podAntiAffinity: expect.anything() as object },
    });
    expect(
      made.filter(({ subjects }) => subjects?.some(({ name }) => name === 'inlet-bench')),
    ).toEqual([]);
    // no more secrets than it needs: MongoDB, and the keys that seal the secret of an address
    expect(containerOf(made).env.map(({ name }) => name)).toEqual([
      'MONGODB_URI',
      'SECRET_KEYS',
      'INBOUND_DOMAIN',
    ]);
  });

  test('its arguments are those of the command, with the places and limits of the release', async () => {
    const { args } = containerOf(
      await rendered(
        ...production,
        ...ENABLED,
        ...sets(
          'gateway.resources.limits.cpu=500m',
          'dispatcher.resources.limits.cpu=2',
          'gateway.proxyProtocol.enabled=true',
          'gateway.proxyProtocol.trustedRanges={10.0.0.0/8}',
        ),
      ),
    );
    expect(args.join(' ')).toBe(
      'services/cli/main.ts admin --timeout 1m bench --gateway inlet-gateway:25 ' +
        '--receiver inlet-bench.mail.svc:8443 --proxy-protocol ' +
        '--metrics gateway=http://inlet-bench-gateway.mail.svc:9090/metrics --cores gateway=500m ' +
        '--metrics dispatcher=http://inlet-bench-dispatcher.mail.svc:9090/metrics ' +
        '--cores dispatcher=2 --rates 50,100,200,400,800 --seconds 60 --emails 100000 ' +
        '--connections 50 --size 25k',
    );
    // the command takes them: it fails only because there is no database
    const env = { MONGODB_URI: 'mongodb://127.0.0.1:1' };
    const { code, err } = await runCommand(
      args.slice(1).map((argument) => (argument === '1m' ? '1s' : argument)),
      { env },
    );
    expect({ code, err }).toEqual({
      code: 6,
      err: expect.stringContaining('MongoDB at 127.0.0.1:1 is not available') as string,
    });
  });

  test('policies: it reaches gateways, metrics and MongoDB, and only dispatchers reach it', async () => {
    const made = await rendered(...evaluation, ...ENABLED);
    expect(opened(made, 'inlet-bench', 'ingress', 'dispatcher')).toEqual(['receiver']);
    expect(opened(made, 'inlet-bench', 'egress', 'gateway')).toEqual(['smtp', 'metrics']);
    expect(opened(made, 'inlet-bench', 'egress', 'dispatcher')).toEqual(['metrics']);
    expect(opened(made, 'inlet-bench', 'egress', 'mongodb')).toEqual([27017]);
    expect(opened(made, 'inlet-bench', 'egress', 'nats')).toEqual([]);
    expect(opened(made, 'inlet-dispatcher', 'egress', 'bench')).toEqual(['receiver']);
    expect(opened(made, 'inlet-api', 'egress', 'bench')).toEqual([]);
    for (const component of ['gateway', 'dispatcher'])
      expect(opened(made, `inlet-${component}`, 'ingress', 'bench')).toEqual(['metrics']);
    expect(opened(made, 'inlet-mongodb', 'ingress', 'bench')).toEqual(['mongodb']);
    expect(opened(made, 'inlet-nats', 'ingress', 'bench')).toEqual([]);
    const services = made.filter(
      ({ kind, metadata }) => kind === 'Service' && metadata.labels?.[COMPONENT] === 'bench',
    );
    expect(services.map(({ metadata, spec }) => [metadata.name, spec?.clusterIP])).toEqual([
      ['inlet-bench', undefined],
      ['inlet-bench-gateway', 'None'],
      ['inlet-bench-dispatcher', 'None'],
    ]);
  });
});
