/**
 * The API with a gateway and a dispatcher on the same servers: addresses are created through the
 * API, and mail arrives over SMTP.
 */
import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';

import type { ApiConstants } from '../../services/api/process/constants.ts';
import { type Pipeline, startPipeline } from './pipeline.ts';
import { startTestApi, type TestApi } from './start-api.ts';

export type InProcess = AsyncDisposable & {
  pipeline: Pipeline;
  api: TestApi;
  /** Creates an address through the API whose webhook URL is this path of the receiver. */
  address(
    path: string,
    fields?: object,
  ): Promise<Record<string, unknown> & { id: string; address: string; webhook_secret: string }>;
  send(to: string, subject: string): Promise<void>;
};

export async function startInProcess(
  env: Record<string, string> = {},
  {
    withDispatcher = true,
    api: constants = {},
  }: { withDispatcher?: boolean; api?: Partial<ApiConstants> } = {},
): Promise<InProcess> {
  await using parts = new AsyncDisposableStack();
  const SECRET_KEYS = randomBytes(32).toString('base64');
  const pipeline = parts.use(await startPipeline({ env: { SECRET_KEYS, ...env }, withDispatcher }));
  const mongoUri = new URL(inject('mongoUri'));
  mongoUri.pathname = `/${pipeline.mongo.db.databaseName}`;
  const shared = {
    SECRET_KEYS,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    WEBHOOK_CA_FILE: pipeline.receiver.caFile,
  };
  const api = parts.use(
    await startTestApi({
      env: {
        ...shared,
        ...(pipeline.lmtpPort > 0 && { INTAKE_LMTP: `lmtp://127.0.0.1:${pipeline.lmtpPort}` }),
        ...env,
      },
      constants,
      mongoUri: mongoUri.href,
      natsServer: pipeline.natsServer,
    }),
  );
  const running = parts.move();
  return {
    pipeline,
    api,
    address: async (path, fields) =>
      (await api.create({ webhook_url: pipeline.receiver.url(path), ...fields })) as Awaited<
        ReturnType<InProcess['address']>
      >,
    send: async (to, subject) =>
      void (await pipeline.mailer.sendMail({
        from: 'Ann <ann@sender.example>',
        to,
        subject,
        text: `text of ${subject}`,
      })),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
