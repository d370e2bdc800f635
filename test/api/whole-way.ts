/** The API beside a gateway and a dispatcher, over the same servers: addresses are made as a customer makes them, and mail comes by SMTP. */
import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';

import { type Pipeline, startPipeline } from '../support/pipeline.ts';
import { startTestApi, type TestApi } from './test-api.ts';

export type WholeWay = AsyncDisposable & {
  pipeline: Pipeline;
  api: TestApi;
  /** Makes an address through the API whose webhooks go to this path of the receiver. */
  address(
    path: string,
    fields?: object,
  ): Promise<Record<string, unknown> & { id: string; address: string; webhook_secret: string }>;
  send(to: string, subject: string): Promise<void>;
};

export async function startWholeWay(env: Record<string, string> = {}): Promise<WholeWay> {
  await using parts = new AsyncDisposableStack();
  const SECRET_KEYS = randomBytes(32).toString('base64');
  const pipeline = parts.use(await startPipeline({ env: { SECRET_KEYS, ...env } }));
  const mongoUri = new URL(inject('mongoUri'));
  mongoUri.pathname = `/${pipeline.mongo.db.databaseName}`;
  const shared = {
    SECRET_KEYS,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    WEBHOOK_CA_FILE: pipeline.receiver.caFile,
  };
  const api = parts.use(
    await startTestApi({
      env: { ...shared, ...env },
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
        ReturnType<WholeWay['address']>
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
