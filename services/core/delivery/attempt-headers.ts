/**
 * The HTTP headers of an attempt, as its record keeps them: without signatures and credentials, and
 * within a bound.
 */
import { z } from 'zod';

import { describeSchema } from '../api-reference.ts';
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
  const sentBlock = block(
    [
      ...lines(sent).map(([name, value]) => [name, withoutSignatures(name, value)] as const),
      ...lines(credentials).map(([name]) => [name, MASK] as const),
    ],
    SENT_MAX_BYTES,
  );
  const receivedBlock = block(
    lines(received ?? {}).map(
      ([name, value]) => [name, SECRET_NAMES.has(name) ? MASK : maskSecrets(value)] as const,
    ),
    HEADERS_MAX_BYTES - sentBlock.length,
  );
  return { sent: sentBlock, received: receivedBlock };
}

const lines = (headers: HeaderValues): (readonly [name: string, value: string])[] =>
  Object.entries(headers).flatMap(([name, values = []]) =>
    [values].flat().map((value) => [name.toLowerCase(), value] as const),
  );

/** Keeps version and time: `v1,t=1795248000,s=***`, `v1,***`. */
const withoutSignatures = (name: string, value: string): string =>
  name === 'svc-signature'
    ? value.replaceAll(/\bs=[0-9a-f]+/g, `s=${MASK}`)
    : name === 'webhook-signature'
      ? value.replaceAll(/(v1a?),[^ ]+/g, `$1,${MASK}`)
      : value;

/** The first lines that fit. Every character is one byte. */
function block(headers: readonly (readonly [string, string])[], maxBytes: number): string {
  let text = '';
  for (const [name, value] of headers) {
    const line = `${name}: ${printable(value)}\n`;
    if (text.length + line.length > maxBytes) break;
    text += line;
  }
  return text;
}

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
