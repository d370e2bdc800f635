/** An installation and a bucket with the S3 API for its backups. Without PyPI, there is no bucket. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';

import { connectMongo, type Mongo } from '../../services/adapters/mongo/database/connection.ts';
import { readConfig } from '../../services/adapters/process/config.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import type { BackupFiles } from '../../services/adapters/bucket/backup-files.ts';
import { BackupConfig, openBackups } from '../../services/platform/settings/backups.ts';
import { ensureTls } from '../../services/standalone/keys.ts';
import { runCommand } from '../support/inlet-command.ts';
import { backupSettings, type S3Server, startS3Server } from '../support/s3-server.ts';
import { startTestNats, testDir, testMongo } from '../support/servers.ts';

export type BucketBed = AsyncDisposable & {
  s3: S3Server | undefined;
  mongo: Mongo;
  secretKeys: string;
  env: Record<string, string>;
  /** The settings of the bucket, with another prefix. */
  bucketSettings(prefix: string): Record<string, string>;
  admin(args: string[], more?: Record<string, string>): ReturnType<typeof runCommand>;
  /** What a command that succeeds says. */
  done<T>(args: string[], more?: Record<string, string>): Promise<T>;
  files(prefix?: string): Promise<BackupFiles>;
};

export async function startBucketBed(): Promise<BucketBed> {
  await using parts = new AsyncDisposableStack();
  const dir = parts.use(await testDir());
  const { caFile } = await ensureTls(dir.path);
  const s3 = await startS3Server(caFile);
  if (s3) parts.use(s3);
  const { uri } = parts.use(await testMongo());
  const { url } = parts.use(await startTestNats());
  const mongo = parts.use(await connectMongo(uri, createLog('silent')));
  const secretKeys = randomBytes(32).toString('base64');
  const bucketSettings = (prefix: string) => (s3 ? backupSettings(s3, caFile, prefix) : {});
  const servers = { MONGODB_URI: uri, NATS_URL: url, SECRET_KEYS: secretKeys };
  const env = { ...servers, ...bucketSettings('inlet/') };
  const admin: BucketBed['admin'] = (args, more = {}) =>
    runCommand(['admin', ...args], { env: { ...env, ...more } });
  const running = parts.move();
  return {
    s3,
    mongo,
    secretKeys,
    env,
    bucketSettings,
    admin,
    done: async <T>(args: string[], more?: Record<string, string>) => {
      const { code, out, err } = await admin(args, more);
      if (code !== 0 || err !== '') throw new Error(`${args.join(' ')}: ${code} ${err}`);
      return JSON.parse(out) as T;
    },
    files: async (prefix = 'inlet/') => {
      const settings = readConfig(z.object(BackupConfig), bucketSettings(prefix));
      const files = await openBackups(settings, [Buffer.from(secretKeys, 'base64')]);
      if (files === undefined) throw new Error('no bucket');
      return files;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

export async function* piecesOf(content: string | Buffer): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content);
}
