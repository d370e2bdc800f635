/** TLS between the services and the NATS and MongoDB of the chart, as the chart renders it. */
import { describe, expect, test } from 'vitest';

import { find, helm, type Manifest, podOf, PROFILES, rendered, sets } from './render.ts';

const { evaluation, production } = PROFILES;
const SERVICES = ['gateway', 'dispatcher', 'api', 'operator'];
const ON = [...evaluation, ...sets('internalTls.enabled=true')];

const container = (made: Manifest[], kind: string, name: string) =>
  podOf(find(made, kind, name))?.containers[0];
const environment = (made: Manifest[], kind: string, name: string) =>
  Object.fromEntries(
    container(made, kind, name)?.env?.map((one) => [one.name, one.value]) ?? [],
  ) as Record<string, string | undefined>;
const recipes = (made: Manifest[]) =>
  JSON.parse(environment(made, 'Job', 'inlet-secrets').RECIPES ?? '[]') as {
    name: string;
    certificate_names?: string[];
    certificate_of_clients?: boolean;
  }[];

const isOn = async (args: string[]) =>
  recipes(await rendered(...args)).some(({ name }) => name === 'inlet-internal-tls');

describe.skipIf(helm === undefined)('internal TLS (skipped without helm)', () => {
  test('it is on in the production profile, and off in the evaluation profile', async () => {
    expect([await isOn(production), await isOn(evaluation)]).toEqual([true, false]);
  });

  test('every service verifies NATS and MongoDB with the certificate authority of the release', async () => {
    const made = await rendered(...ON);
    for (const service of SERVICES) {
      const env = environment(made, 'Deployment', `inlet-${service}`);
      expect(env.NATS_CA_FILE).toBe('/etc/inlet/internal-ca/ca.crt');
      expect(env.MONGODB_URI).toMatch(/&tls=true&tlsCAFile=\/etc\/inlet\/internal-ca\/ca.crt$/);
    }
    for (const [kind, name] of [
      ['Job', made.find(({ metadata }) => /mongodb-setup-/.test(metadata.name))?.metadata.name],
      ['Pod', 'inlet-test'],
      ...SERVICES.map((service) => ['Deployment', `inlet-${service}`]),
    ] as [string, string][]) {
      const volume = podOf(find(made, kind, name))?.volumes?.find(
        (one) => one.name === 'internal-ca',
      );
      // Only servers have the key.
      expect([name, volume?.secret]).toEqual([
        name,
        expect.objectContaining({
          secretName: 'inlet-internal-tls',
          items: [{ key: 'ca.crt', path: 'ca.crt' }],
        }),
      ]);
      expect(container(made, kind, name)?.volumeMounts).toContainEqual({
        name: 'internal-ca',
        mountPath: '/etc/inlet/internal-ca',
        readOnly: true,
      });
    }
  });

  test('the certificate has the names by which the pods connect, and nodes verify each other with it', async () => {
    const made = await rendered(...production);
    const [recipe] = recipes(made).filter(({ name }) => name === 'inlet-internal-tls');
    expect(recipe).toEqual({
      name: 'inlet-internal-tls',
      certificate_names: ['*.inlet-nats-members.mail.svc', '*.inlet-mongodb.mail.svc', 'localhost'],
      certificate_of_clients: true,
    });
    const { NATS_URL = '' } = environment(made, 'Deployment', 'inlet-gateway');
    const routes = container(made, 'StatefulSet', 'inlet-nats')?.args?.[1] ?? '';
    for (const url of [...NATS_URL.split(','), ...routes.split(',')])
      expect(url).toMatch(/inlet-nats-[012]\.inlet-nats-members\.mail\.svc:(4222|6222)$/);
    const config = find(made, 'ConfigMap', 'inlet-nats').data?.['nats.conf'] ?? '';
    expect(config.match(/tls \{cert_file: .*ca_file: /g)).toHaveLength(2); // clients and routes
  });

  test('mongod accepts only TLS', async () => {
    const made = await rendered(...ON);
    expect(container(made, 'StatefulSet', 'inlet-mongodb')?.args).toEqual(
      expect.arrayContaining(['--tlsMode=requireTLS']),
    );
    const off = await rendered(...evaluation);
    expect(container(off, 'StatefulSet', 'inlet-mongodb')?.args?.join()).not.toMatch(/tls/);
  });

  test('a Secret of your own is used instead, and none without servers in the release', async () => {
    const own = await rendered(...ON, ...sets('internalTls.existingSecret=own-tls'));
    expect(recipes(own).map(({ name }) => name)).not.toContain('own-tls');
    expect(podOf(find(own, 'StatefulSet', 'inlet-nats'))?.volumes).toContainEqual({
      name: 'tls',
      secret: expect.objectContaining({ secretName: 'own-tls' }),
    });
    const outside = await rendered(
      ...production,
      ...sets(
        'nats.enabled=false',
        'nats.url=tls://nats.example.com',
        'networkPolicy.nats.to={10.1.0.0/16}',
      ),
    );
    expect(JSON.stringify(outside)).not.toMatch(/internal-(ca|tls)/);
  });
});
