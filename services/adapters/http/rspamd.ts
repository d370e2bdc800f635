/** Asks rspamd over HTTP how likely an email is spam, and whether its antivirus module found anything. */
import { Agent, request } from 'undici';

import type { Envelope } from '../../core/webhook/payload.ts';
import { HTTP_POOL } from '../../core/network/deadlines.ts';
import { RspamdAnswer, rspamdScore, type SpamScore } from '../../core/mail/spam.ts';
import { type Virus, virusOfSymbols } from '../../core/mail/virus.ts';
import { connectOptions } from '../dns/sockets.ts';
import { textWithin } from './text-within.ts';

export type RspamdOptions = {
  url: string;
  password: string | undefined;
  /** Limit for the whole response. */
  timeoutMs: number;
};

/** What rspamd gets in addition to the email. */
export type RspamdQuestion = { envelope: Envelope; recipients: readonly string[]; queueId: string };

export type RspamdVerdict = {
  score: SpamScore;
  /** undefined when its antivirus module is not in use, or found nothing. */
  virus: Virus | undefined;
};

export type Rspamd = AsyncDisposable & {
  /** @throws when rspamd does not respond, or with something unexpected */
  judge(raw: Buffer, question: RspamdQuestion): Promise<RspamdVerdict>;
};

const RESPONSE_MAX_BYTES = 1024 * 1024;

export function createRspamd({ url, password, timeoutMs }: RspamdOptions): Rspamd {
  const target = new URL('checkv2', url.endsWith('/') ? url : `${url}/`);
  const agent = new Agent({
    ...HTTP_POOL,
    connect: { ...connectOptions(timeoutMs), timeout: timeoutMs },
  });

  async function judge(
    raw: Buffer,
    { envelope, recipients, queueId }: RspamdQuestion,
  ): Promise<RspamdVerdict> {
    const headers = {
      ip: envelope.remoteIp,
      helo: headerText(envelope.heloDomain),
      from: headerText(envelope.mailFrom),
      rcpt: recipients.map(headerText),
      'queue-id': queueId,
      ...(password !== undefined && { password }),
    };
    try {
      const { statusCode, body } = await request(target, {
        method: 'POST',
        headers,
        body: raw,
        dispatcher: agent,
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await textWithin(body, RESPONSE_MAX_BYTES);
      if (statusCode !== 200) throw new Error(`unexpected status ${statusCode}`);
      const answer = RspamdAnswer.parse(JSON.parse(text));
      return { score: rspamdScore(answer), virus: virusOfSymbols(answer.symbols) };
    } catch (cause) {
      throw new Error('ask rspamd', { cause });
    }
  }
  return { judge, [Symbol.asyncDispose]: () => agent.destroy() };
}

/** A header value whose bytes are UTF-8, without the characters that could end it. */
const headerText = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  Buffer.from(text.replace(/[\x00-\x1f\x7f]/g, '')).toString('latin1');
