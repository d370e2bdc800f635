/** Certificates that Inlet makes, used by a real nats-server. */
import { X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { createLog } from '../../../services/adapters/process/log.ts';
import { connectNats } from '../../../services/adapters/stream/connection/connection.ts';
import { makeCertificate } from '../../../services/adapters/tls/certificates.ts';
import { startTestNats, testDir } from '../../support/servers.ts';

const log = createLog('silent');
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1'; // RFC 5280 §4.2.1.12
const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';

test('a certificate names its servers, and is valid for clients only on request', async () => {
  const names = ['*.inlet-nats-members.mail.svc', 'localhost'];
  const own = new X509Certificate((await makeCertificate(names)).cert);
  expect(own.keyUsage).toEqual([SERVER_AUTHENTICATION]);
  expect(own.checkHost('inlet-nats-0.inlet-nats-members.mail.svc')).toBeDefined();
  expect(own.checkHost('inlet-nats-0.other.svc')).toBeUndefined();
  const { ca, cert } = await makeCertificate(names, { isForClients: true });
  const mutual = new X509Certificate(cert);
  expect(mutual.keyUsage).toEqual([SERVER_AUTHENTICATION, CLIENT_AUTHENTICATION]);
  expect(mutual.verify(new X509Certificate(ca).publicKey)).toBe(true);
  expect(new Date(mutual.validTo).getFullYear()).toBe(new Date().getFullYear() + 10);
});

test('NATS_CA_FILE makes TLS mandatory: another certificate authority is refused', async () => {
  await using dir = await testDir();
  const [own, other] = await Promise.all(
    [0, 1].map(() => makeCertificate(['localhost'], { addresses: ['127.0.0.1'] })),
  );
  const files = { cert: own?.cert, key: own?.key, ca: own?.ca, other: other?.ca };
  for (const [name, text] of Object.entries(files))
    await writeFile(join(dir.path, `${name}.pem`), text ?? '');
  const at = (name: keyof typeof files) => join(dir.path, `${name}.pem`);
  await using server = await startTestNats({
    server: { tls: `{cert_file: "${at('cert')}", key_file: "${at('key')}"}` },
  });
  await using nats = await connectNats({ url: server.url, name: 'test', caFile: at('ca') }, log);
  expect(nats.isConnected()).toBe(true);
  expect(nats.connection.info?.tls_required).toBe(true);
  const refused = connectNats({ url: server.url, name: 'test', caFile: at('other') }, log).then(
    async (connected) => {
      await connected[Symbol.asyncDispose]();
      return 'connected';
    },
    () => 'refused',
  );
  expect(await Promise.race([refused, sleep(1_000, 'waiting')])).not.toBe('connected');
});
