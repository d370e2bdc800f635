/**
 * A gateway whose raw emails a test can read back: the original bytes, and the trace headers above
 * them.
 */
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';

import { openMailStreams } from '../../services/adapters/stream/replay.ts';
import type { Address } from '../../services/core/address/address.ts';
import type { GatewayConstants } from '../../services/gateway/process/constants.ts';
import type { ParseWarning } from '../../services/core/webhook/parse-warning.ts';
import { type Pipeline, startPipeline } from '../support/pipeline.ts';
import { dialogue, type SmtpDialogue } from '../support/smtp-play.ts';
import { readObject } from '../support/stored-bytes.ts';
import { storedMails } from './stored-mail.ts';

export type RecordedMail = { trace: string; mail: Buffer; warnings: ParseWarning[] };

export type RecordingGateway = AsyncDisposable & {
  pipeline: Pipeline;
  port: number;
  newAddress(fields?: Partial<Address>): Promise<Address>;
  /** A dialogue that has come as far as DATA, to a new address. */
  inData(options?: {
    from?: string;
    helo?: string;
  }): Promise<{ smtp: SmtpDialogue; addressId: string; address: string }>;
  /** Every mail that an address has got. */
  recorded(addressId: string): Promise<RecordedMail[]>;
  /** A count of the gateway's; 0 when there is none. */
  count(metric: string, labels?: Record<string, string>): Promise<number>;
};

export async function startRecordingGateway(
  env: Record<string, string> = {},
  constants: Partial<GatewayConstants> = {},
): Promise<RecordingGateway> {
  const settings = {
    LINK_KEYS: randomBytes(32).toString('base64'),
    PUBLIC_API_URL: 'https://api.example/v1',
    ...env,
  };
  const pipeline = await startPipeline({ withDispatcher: false, env: settings, constants });
  const newAddress = (fields?: Partial<Address>) =>
    pipeline.address('/unused', {
      payload: { attachments: 'inline', raw: true, extract: [], storage: null },
      ...fields,
    });
  return {
    pipeline,
    port: pipeline.smtpPort,
    newAddress,
    inData: async ({ from = '<ann@sender.example>', helo = 'mx.sender.example' } = {}) => {
      const { address, id } = await newAddress();
      const smtp = await dialogue(pipeline.smtpPort);
      for (const line of [`EHLO ${helo}`, `MAIL FROM:${from}`, `RCPT TO:<${address}>`])
        expect(await smtp.say(line)).toMatch(/^250/);
      expect(await smtp.say('DATA')).toMatch(/^354 /);
      return { smtp, address, addressId: id };
    },
    recorded: async (addressId) => {
      const streams = await openMailStreams(pipeline.nats);
      return Promise.all(
        (await storedMails(pipeline.nats, addressId)).map(async ({ event, payload }) => {
          const raw = await readObject(streams, streams.linked, event.event_id);
          const whole = raw ?? Buffer.alloc(0);
          const start = whole.byteLength - payload.content.size_bytes;
          return {
            trace: whole.toString('utf8', 0, start),
            mail: whole.subarray(start),
            warnings: payload.parse_warnings,
          };
        }),
      );
    },
    count: async (metric, labels = {}) => {
      const lines = (await (await fetch(pipeline.metricsUrls.gateway)).text()).split('\n');
      const line = lines.find(
        (one) =>
          one.replace(/[ {].*/, '') === metric &&
          Object.entries(labels).every(([name, value]) => one.includes(`${name}="${value}"`)),
      );
      return Number(line?.split(' ').at(-1) ?? 0);
    },
    [Symbol.asyncDispose]: () => pipeline[Symbol.asyncDispose](),
  };
}
