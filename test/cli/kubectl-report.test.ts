/** `kubectl inlet report`: what it leaves out. test/cluster makes one of a real installation. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { parseTarGzip } from 'nanotar';
import { expect, test } from 'vitest';

import {
  createRedaction,
  withoutSecrets,
} from '../../services/cli/kubernetes/cluster/redaction.ts';
import { deployment, fakeKubectl, list, metadata, resource } from './fake-kubectl.ts';

const SECRET = 'top-secret-value';
const encoded = Buffer.from(SECRET).toString('base64');
const pod = {
  metadata: metadata('mail-inlet-api-0'),
  spec: {
    containers: [{ name: 'api', env: [{ name: 'SMTP_PASSWORD', value: 'in-a-variable' }] }],
  },
  status: { containerStatuses: [{ name: 'api', restartCount: 1 }] },
};

test('has no values of Secrets, tokens, email addresses or webhook paths, wherever they occur', async () => {
  const log = [
    `connected with ${SECRET} and ${encoded}`,
    'webhook to https://user:pw-in-url@hooks.example/x',
    'secret whsec_aW5sZXQgZXhhbXBsZQ== token svc_live_abc-DEF_1',
    'Authorization: Bearer some.opaque/value== from ann@sender.example, jürgen.müller@sender.example',
    '-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----',
  ].join('\n');
  const address = {
    ...resource('InboundAddress', 'orders', 'True', 'Ready'),
    spec: { webhookUrl: 'https://hooks.example/services/T0/path-token?key=query-token' },
  };
  const notification = {
    ...resource('AccountNotification', 'alerts', 'True', 'Ready'),
    spec: { url: 'https://alerts.example/services/T0/notification-token' },
  };
  await using kubectl = await fakeKubectl();
  const { folder } = kubectl;
  const { code, out, calls } = await kubectl.plugin(
    ['report', '-o', 'r.tar.gz'],
    [
      [
        'get secrets',
        list(
          { data: { password: encoded } },
          { type: 'helm.sh/release.v1', data: { release: 'aW5sZXQ=' } },
        ),
      ],
      ['get deployments,|get deployments -l', list(deployment('mail-inlet-api'))],
      ['get pods', list(pod)],
      ['get inlet', list(address, notification)],
      ['get events', list({ message: `pulled with ${SECRET}` })],
      [' logs ', log],
      ['version', { serverVersion: { gitVersion: 'v1.33.0' } }],
    ],
  );
  expect([code, out]).toEqual([0, expect.stringMatching(/r\.tar\.gz: \d+ files/)]);
  expect((await stat(join(folder, 'r.tar.gz'))).mode & 0o777).toBe(0o600);
  const files = await parseTarGzip(await readFile(join(folder, 'r.tar.gz')));
  const names = files.map(({ name }) => name);
  expect(names).toContain('inlet-report/logs/mail-inlet-api-0-api.log');
  expect(names).toContain('inlet-report/logs/mail-inlet-api-0-api.previous.log');
  const all = files.map(({ text }) => text).join('\n');
  for (const text of [
    'v1.33.0',
    'https://hooks.example/',
    'https://alerts.example/',
    'connected with [redacted] and [redacted]',
    '@sender.example',
  ])
    expect(all).toContain(text);
  for (const planted of [
    SECRET,
    encoded.replace(/=+$/, ''),
    'in-a-variable',
    'pw-in-url',
    'whsec_',
    'svc_live',
    'some.opaque',
    'ann@',
    'jürgen',
    'ller@',
    'MIIabc',
    'path-token',
    'query-token',
    'notification-token',
  ])
    expect(all).not.toContain(planted);
  const readSecrets = calls.split('\n').filter((call) => call.includes('get secret'));
  expect(readSecrets).toEqual([
    '--namespace inlet get secrets -o json',
    '--namespace shop get secrets -o json', // of the resources
  ]);
  expect(all).toContain('objects/services.json: kubectl: Error from server (NotFound)');
});

test('a redaction prefers the longest value, and leaves short ones', () => {
  const redact = createRedaction([
    'inlet',
    'password-1',
    'password-1-and-more',
    'line one\nline two',
  ]);
  expect(redact('inlet password-1-and-more, password-1; line two')).toBe(
    'inlet [redacted], [redacted]; [redacted]',
  );
  expect(redact(JSON.stringify('x line one\nline two'))).toBe('"x [redacted]"');
});

test.each([
  ['webhookUrl', 'https://hooks.example/path', 'https://hooks.example/[redacted]'],
  ['url', 'https://hooks.example?key=query', 'https://hooks.example/[redacted]'],
  ['webhook_url', 'https://hooks.example:8443/path', 'https://hooks.example:8443/[redacted]'],
  ['url', 'nats://nats:4222', 'nats://nats:4222'],
])('a %s %s becomes %s', (key, url, shown) => {
  const redact = createRedaction([]);
  for (const indent of [undefined, 2])
    expect(JSON.parse(redact(JSON.stringify({ [key]: url }, undefined, indent)))).toEqual({
      [key]: shown,
    });
});

test('objects lose managedFields and the values of secret variables', () => {
  const env = [
    { name: 'NATS_URL', value: 'nats://x' },
    { name: 'MONGODB_URI', value: 'mongodb://u:p@x' },
    { name: 'API_KEY', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
  ];
  expect(withoutSecrets({ metadata: { managedFields: [1], name: 'x' }, env })).toEqual({
    metadata: { name: 'x' },
    env: [env[0], { name: 'MONGODB_URI', value: '[redacted]' }, env[2]],
  });
});
