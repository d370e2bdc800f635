/**
 * A server with the S3 API (moto, from PyPI) behind TLS. It checks signatures and permissions: only
 * the given keys may use the bucket. Without PyPI, its tests are skipped with a reason.
 */
import { readFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { AwsClient } from 'aws4fetch';

import { startProcess } from '../../services/standalone/processes/child-process.ts';
import { freePort } from '../../services/standalone/processes/ports.ts';
import { ensureTls } from '../../services/standalone/keys.ts';
import { installS3Server } from '../contract/tools.ts';
import { testDir } from './servers.ts';
import { until } from './until.ts';

export type S3Server = AsyncDisposable & {
  /** `https://localhost:port`, or `http://` with the given host */
  endpoint: string;
  bucket: string;
  credentials: { access_key_id: string; secret_access_key: string };
  /** The content of an object, read by another client; undefined when there is none. */
  read(key: string): Promise<Buffer | undefined>;
  keys(): Promise<string[]>;
  /** Accepts no connection until `heal`. */
  fail(): void;
  heal(): void;
};

const START_TIMEOUT_MS = 60_000;
/** Of the calls that make the user and the bucket. All later ones need permission. */
const SETUP_CALLS = 4;
const BUCKET = 'mail-of-test';

const POLICY = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: 's3:*', Resource: '*' }],
};

/** The settings of backups in the server. @param caFile as it was started with */
export const backupSettings = (
  { endpoint, bucket, credentials }: S3Server,
  caFile: string,
  prefix = 'inlet/',
) => ({
  BACKUP_BUCKET: JSON.stringify({ endpoint, bucket, prefix }),
  BACKUP_ACCESS_KEY_ID: credentials.access_key_id,
  BACKUP_SECRET_ACCESS_KEY: credentials.secret_access_key,
  BACKUP_CA_FILE: caFile,
});

/**
 * @param caFile of a receiver: clients that trust that one also trust this server
 * @param host an address of this machine that pods reach; the server has no TLS there
 */
export async function startS3Server(caFile: string, host?: string): Promise<S3Server | undefined> {
  const environment = await installS3Server();
  if (environment === undefined) return undefined;
  await using parts = new AsyncDisposableStack();
  const dir = parts.use(await testDir());
  const port = await freePort();
  parts.use(
    await startProcess({
      name: 'moto',
      command: join(environment, 'bin', 'python'),
      args: ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)],
      env: { PATH: process.env.PATH ?? '', INITIAL_NO_AUTH_ACTION_COUNT: String(SETUP_CALLS) },
      logFile: join(dir.path, 'moto.log'),
    }),
  );
  const plain = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${plain}/moto-api/`).then(
      () => true,
      () => false,
    );
  await until('moto to listen', isUp, START_TIMEOUT_MS);

  const nobody = new AwsClient({ accessKeyId: 'setup', secretAccessKey: 'setup', retries: 0 });
  const iam = async (query: Record<string, string>): Promise<string> => {
    const body = new URLSearchParams({ ...query, Version: '2010-05-08', UserName: 'inlet' });
    const response = await nobody.fetch(`${plain}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: body.toString(),
      aws: { service: 'iam', region: 'us-east-1' },
    });
    if (!response.ok) throw new Error(`${query.Action}: ${await response.text()}`);
    return response.text();
  };
  await iam({ Action: 'CreateUser' });
  const keys = await iam({ Action: 'CreateAccessKey' });
  await iam({
    Action: 'PutUserPolicy',
    PolicyName: 'bucket',
    PolicyDocument: JSON.stringify(POLICY),
  });
  const valueOf = (tag: string) => new RegExp(`<${tag}>([^<]+)</${tag}>`).exec(keys)?.[1] ?? '';
  const credentials = {
    access_key_id: valueOf('AccessKeyId'),
    secret_access_key: valueOf('SecretAccessKey'),
  };
  const reader = new AwsClient({
    accessKeyId: credentials.access_key_id,
    secretAccessKey: credentials.secret_access_key,
    service: 's3',
    region: 'us-east-1',
    retries: 0,
  });
  const made = await nobody.fetch(`${plain}/${BUCKET}`, {
    method: 'PUT',
    aws: { service: 's3', region: 'us-east-1' },
  });
  if (!made.ok) throw new Error(`create the bucket: ${await made.text()}`);

  const tls = await ensureTls(dirname(dirname(caFile)));
  let isFailing = false;
  const forward = (client: Socket) => {
    client.on('error', () => undefined);
    if (isFailing) client.destroy();
    else client.pipe(connect(port, '127.0.0.1').on('error', () => client.destroy())).pipe(client);
  };
  const files = { cert: await readFile(tls.certFile), key: await readFile(tls.keyFile) };
  const front = host ? createServer(forward) : createTlsServer(files, forward);
  const frontPort = await freePort();
  await new Promise<void>((resolve) => front.listen(frontPort, host ?? '127.0.0.1', resolve));
  parts.defer(() => void front.close());
  const running = parts.move();
  return {
    endpoint: host ? `http://${host}:${frontPort}` : `https://localhost:${frontPort}`,
    bucket: BUCKET,
    credentials,
    read: async (key) => {
      const response = await reader.fetch(`${plain}/${BUCKET}/${key}`);
      return response.ok ? Buffer.from(await response.arrayBuffer()) : undefined;
    },
    keys: async () => {
      const text = await (await reader.fetch(`${plain}/${BUCKET}?list-type=2`)).text();
      return [...text.matchAll(/<Key>([^<]+)<\/Key>/g)].map((match) => match[1] ?? '');
    },
    fail: () => (isFailing = true),
    heal: () => (isFailing = false),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
