/**
 * Verifies webhooks: Standard Webhooks with a secret (`v1`) or a public key (`v1a`), else Svc-Signature.
 * WebCrypto, so that it runs in Workers, too. See docs/receiving-webhooks.md.
 */
import type { NotificationPayload, WebhookPayload } from '../../../core/api/api-types.generated.ts';

/** Why a request is not trusted. Respond with 401. */
export class WebhookVerificationError extends Error {
  readonly kind: 'header' | 'timestamp' | 'signature' | 'body';

  constructor(kind: WebhookVerificationError['kind'], message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
    this.kind = kind;
  }
}

export type WebhookHeaders =
  { get(name: string): string | null } | Readonly<Record<string, string | string[] | undefined>>;

export type VerifyOptions = {
  /** How much the time of the attempt may differ from the clock of this machine: 300 seconds. */
  toleranceSeconds?: number | undefined;
  /** The clock of this machine. */
  now?: Date | undefined;
};

const TOLERANCE_SECONDS = 300;
/** Inlet sends two at most for each scheme. A forged header could hold thousands. */
const SIGNATURES_MAX = 8;
/** Makes the key of questions to deciding hooks. */
const QUESTION_LABEL = 'inlet deciding hook';
const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;
const PUBLIC_KEY = /^whpk_([A-Za-z0-9+/]+={0,2})$/;

/**
 * The email that Inlet sent to the webhook URL of an address.
 *
 * @param rawBody the bytes of the request, not JSON that was parsed and serialized again
 * @param headers of the request, in any case
 * @param secrets `whsec_…` of the address, or `whpk_…` of a receiver with `signing: "ed25519"`: one,
 *   or several while it is rotated
 * @throws WebhookVerificationError when the request is not from Inlet, or is too old
 * @throws TypeError unless the text is a secret
 */
export const verifyWebhook = (
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookPayload> =>
  verified<WebhookPayload>('webhook', rawBody, headers, secrets, options);

/**
 * The same for a deciding hook: the email about which it is asked. It takes the same secrets and verifies
 * with keys made of them, so that no webhook passes for a question, and no question for a webhook.
 */
export const verifyHook = (
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookPayload> => verified<WebhookPayload>('hook', rawBody, headers, secrets, options);

/** The same for the URL of a notification. Its `type` says what happened. */
export const verifyNotification = (
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<NotificationPayload> =>
  verified<NotificationPayload>('webhook', rawBody, headers, secrets, options);

type Purpose = 'webhook' | 'hook';

async function verified<Payload>(
  purpose: Purpose,
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() }: VerifyOptions,
): Promise<Payload> {
  const keys = [secrets].flat().map((secret) => keyOf(secret, purpose));
  const signature = signatureIn(headers);
  const { id, time } = signature;
  if (!/^\d{1,12}$/.test(time))
    throw new WebhookVerificationError('timestamp', 'The timestamp is not a Unix time');
  if (Math.abs(now.getTime() / 1000 - Number(time)) > toleranceSeconds)
    throw new WebhookVerificationError('timestamp', 'The timestamp is too old, or in the future');

  const body = typeof rawBody === 'string' ? encoder.encode(rawBody) : new Uint8Array(rawBody);
  const head = encoder.encode(id === undefined ? `${time}.` : `${id}.${time}.`);
  const message = joined(head, body);
  const matches = await Promise.all(keys.map((key) => key(message, signature)));
  if (!matches.some(Boolean))
    throw new WebhookVerificationError('signature', 'The signature does not match');
  return jsonIn(body) as Payload;
}

function joined(head: Uint8Array, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(head.byteLength + body.byteLength);
  message.set(head);
  message.set(body, head.byteLength);
  return message;
}

function jsonIn(body: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(body));
  } catch {
    throw new WebhookVerificationError('body', 'The body is not JSON');
  }
}

/** `id` is undefined for Svc-Signature, which covers the time and the body. */
type Signature = { id: string | undefined; time: string; given: readonly string[] };

function signatureIn(headers: WebhookHeaders): Signature {
  const [id, time, signature] = ['id', 'timestamp', 'signature'].map((name) =>
    headerOf(headers, `webhook-${name}`),
  );
  const [version, ...fields] = headerOf(headers, 'svc-signature')?.split(',') ?? [];
  if (!signature && version === 'v1') {
    const [, seconds = ''] = fields.find((field) => field.startsWith('t='))?.split('=') ?? [];
    const given = fields.filter((field) => field.startsWith('s='));
    return { id: undefined, time: seconds, given: given.slice(0, SIGNATURES_MAX) };
  }
  if (!id || !time || !signature)
    throw new WebhookVerificationError('header', 'A webhook-* header is missing');
  return { id, time, given: signature.split(' ').slice(0, SIGNATURES_MAX) };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

type Matches = (message: Uint8Array<ArrayBuffer>, signature: Signature) => Promise<boolean>;

function keyOf(secret: string, purpose: Purpose): Matches {
  const [, hmac] = SECRET.exec(secret) ?? [];
  const [, ed25519] = PUBLIC_KEY.exec(secret) ?? [];
  if (hmac !== undefined) return matchesHmac(secret, bytesOf(hmac) ?? new Uint8Array(), purpose);
  if (ed25519 !== undefined) return matchesEd25519(bytesOf(ed25519) ?? new Uint8Array(), purpose);
  throw new TypeError('A webhook secret begins with whsec_, a public key with whpk_');
}

async function hmacOf(key: Uint8Array<ArrayBuffer>, message: Uint8Array<ArrayBuffer>) {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, message));
}

/** The key of Svc-Signature is the whole text. */
const matchesHmac =
  (secret: string, decoded: Uint8Array<ArrayBuffer>, purpose: Purpose): Matches =>
  async (message, { id, given }) => {
    let [text, bytes] = [secret, decoded];
    if (purpose === 'hook') {
      bytes = await hmacOf(encoder.encode(secret), encoder.encode(QUESTION_LABEL));
      text = `whsec_${btoa(String.fromCharCode(...bytes))}`;
    }
    const expected = await hmacOf(id === undefined ? encoder.encode(text) : bytes, message);
    const signatures = id === undefined ? given.flatMap(hexIn) : signaturesOf('v1', given);
    return signatures.some((one) => areEqual(one, expected));
  };

const hexIn = (field: string): Uint8Array[] =>
  /^s=[0-9a-f]{64}$/.test(field)
    ? [Uint8Array.from(field.slice(2).match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))]
    : [];

const matchesEd25519 =
  (bytes: Uint8Array<ArrayBuffer>, purpose: Purpose): Matches =>
  async (message, { given }) => {
    const key = await crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify']);
    const text = purpose === 'hook' ? await questionDigest(message) : message;
    const checks = signaturesOf('v1a', given).map((one) =>
      crypto.subtle.verify('Ed25519', key, one, text),
    );
    return (await Promise.all(checks)).some(Boolean);
  };

/** A private key signs only this of a question. */
const questionDigest = async (message: Uint8Array): Promise<ArrayBuffer> =>
  crypto.subtle.digest('SHA-256', joined(encoder.encode(`${QUESTION_LABEL}.`), message));

const signaturesOf = (version: string, given: readonly string[]) =>
  given.flatMap((one) =>
    one.startsWith(`${version},`) ? (bytesOf(one.slice(version.length + 1)) ?? []) : [],
  );

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** In a time that does not depend on where they differ. */
function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  if (one.byteLength !== other.byteLength) return false;
  let difference = 0;
  for (const [i, byte] of one.entries()) difference |= byte ^ (other[i] ?? 0);
  return difference === 0;
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const fields = Object.entries(headers as Record<string, string | string[] | undefined>);
  const [, value] =
    fields.find(([field, one]) => field.toLowerCase() === name && one !== undefined) ?? [];
  return Array.isArray(value) ? value.join(' ') : value;
}
