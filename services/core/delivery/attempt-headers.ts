/**
 * The HTTP headers of an attempt, as its record keeps them: without signatures and credentials, and
 * within a bound.
 */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import { type HeaderValues, MASK } from '../webhook/secret-mask.ts';

/** Header blocks: lines of `name: value`, each ended by a line feed. */
export type AttemptHeaders = {
  sent: string;
  /** Empty without a response. */
  received: string;
};

/** A record has the headers of this many attempts, the last ones. */
export const HEADERS_OF_ATTEMPTS = 3;
/** The headers of one attempt, both ways. */
export const HEADERS_MAX_BYTES = 4096;
/** What was sent never takes all the room. */
const SENT_MAX_BYTES = 2048;
const VALUE_MAX_CHARS = 1024;

/** Names of response headers that must stay secret: anyone with their values could sign in. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'set-cookie',
]);

/**
 * @param credentials headers of the request that prove who Inlet is
 * @param maskSecrets masks their values where a response repeats them
 */
export function attemptHeaders(
  sent: HeaderValues,
  credentials: HeaderValues,
  received: HeaderValues | undefined,
  maskSecrets: (text: string) => string,
): AttemptHeaders {
  const ours = linesOf(sent, withoutSignatures, SENT_MAX_BYTES);
  const sentBlock = linesOf(credentials, () => MASK, SENT_MAX_BYTES, ours);
  const shown = (name: string, value: string) =>
    SECRET_NAMES.has(name) ? MASK : maskSecrets(value);
  const room = HEADERS_MAX_BYTES - sentBlock.length;
  return { sent: sentBlock, received: linesOf(received ?? {}, shown, room) };
}

/** The first lines that fit, after those before. Every character is one byte. */
function linesOf(
  headers: HeaderValues,
  shown: (name: string, value: string) => string,
  maxBytes: number,
  before = '',
): string {
  let text = before;
  for (const given in headers) {
    const values = headers[given] ?? [];
    const name = given.toLowerCase();
    for (const value of typeof values === 'string' ? [values] : values) {
      const line = `${name}: ${printable(shown(name, value))}\n`;
      if (text.length + line.length > maxBytes) return text;
      text += line;
    }
  }
  return text;
}

/** Keeps version and time: `v1,t=1795248000,s=***`, `v1,***`. */
const withoutSignatures = (name: string, value: string): string =>
  name === 'svc-signature'
    ? value.replaceAll(/\bs=[0-9a-f]+/g, `s=${MASK}`)
    : name === 'webhook-signature'
      ? value.replaceAll(/(v1a?),[^ ]+/g, `$1,${MASK}`)
      : value;

const printable = (value: string): string =>
  value.slice(0, VALUE_MAX_CHARS).replaceAll(/[^\x20-\x7e]/g, '?');

export const HeaderView = z.object({ name: z.string(), value: z.string() });
describeSchema(HeaderView, 'Header', { name: 'content-type', value: 'application/json' });

export const headerViews = (text: string): z.infer<typeof HeaderView>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const colon = line.indexOf(': ');
      return { name: line.slice(0, colon), value: line.slice(colon + 2) };
    });
