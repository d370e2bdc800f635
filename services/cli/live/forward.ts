/**
 * Posts an email to a local program as Inlet would: the exact bytes of the payload, with valid
 * signatures of both schemes, in the trace of the email (D42).
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { OtherBody } from '../../core/receiver/webhook-format-names.ts';
import { attemptBody, bodyBytes } from '../../core/webhook/formats/attempt-body.ts';
import { signatureHeaders, signingKeys } from '../../core/webhook/signature.ts';
import { idOf, mailTrace, SPAN_ID_BYTES, traceparent } from '../../core/id/trace-context.ts';
import { type Api, found } from '../api/client.ts';
import type { Fetch } from '../api/fetch.ts';
import { readPayload } from '../api/payload.ts';
import { ExitCode, Failure } from '../terminal/failure.ts';
import { causesOf, hasCode } from '../terminal/fault-text.ts';
import type { Retrying } from './retry.ts';

export type Forwarded = {
  url: string;
  /** Undefined when there was no response. */
  status?: number;
  /** Undefined when the email was not sent. */
  ms?: number;
  /** Begin of the response's body. */
  body?: string;
  error?: string;
};

type Email = {
  eventId: string;
  addressId: string;
  /** A further receiver, whose secret signs. */
  receiverId?: string | undefined;
  /** Undefined when it is no longer stored. */
  payload: Buffer | undefined;
};
type Calls = { api: Api; retrying: Retrying };
type ForwardCalls = Calls & { request: Fetch };

const RESPONSE_TIMEOUT_MS = 30_000; // as Inlet waits
const BODY_CHARS = 200;
const SECRET_CACHE_MS = 30_000;
export const CONTENT_IS_GONE = 'the content of the email is no longer stored';
const NEEDS_SECRETS =
  'the token does not have the permission secrets:read, so it cannot sign the webhooks';
const PAYLOAD_TRIES = 50;
const PAYLOAD_PAUSE_MS = 100;

/**
 * The payload of an email that was just accepted; its record may be a moment late. Undefined when
 * the content is no longer stored: it was erased, or its retention is over.
 */
export async function newPayload(
  { api, retrying }: Calls,
  eventId: string,
): Promise<Buffer | undefined> {
  const params = { event_id: eventId };
  const record = () => found(api.call('GET /deliveries/{event_id}', { params }));
  for (let tries = 1; ; tries++) {
    // before the payload: the record may appear between the two calls
    const isRecorded = tries > 1 && (await retrying(record)) !== undefined;
    const payload = await retrying(() => found(readPayload(api, eventId)));
    if (payload !== undefined || isRecorded || tries === PAYLOAD_TRIES) return payload;
    await sleep(PAYLOAD_PAUSE_MS);
  }
}

/** Undefined `format`: the bytes of the payload. */
type Target = {
  url: string;
  /** For HTTP Basic. */
  authorization?: string | undefined;
  format?: OtherBody | undefined;
  userAgent: string;
};

/** @param onSecret is told the secret of each address, before its first email */
export function createForwarder(
  { api, retrying, request }: ForwardCalls,
  { url, authorization, format, userAgent }: Target,
  onSecret: (address: string, secret: string) => void,
) {
  const secrets = new Map<string, { secret: string; until: number }>();

  /** Undefined when the address no longer exists. */
  const secretOf = async (
    address_id: string,
    receiver_id = address_id,
  ): Promise<string | undefined> => {
    const known = secrets.get(receiver_id);
    if (known !== undefined && known.until > Date.now()) return known.secret;
    const read = receiver_id === address_id ? ofAddress : ofReceiver;
    const one = await retrying(() => found(read(address_id, receiver_id)));
    if (one === undefined) return undefined;
    const { name, secret } = one;
    if (secret === null) throw new Failure(NEEDS_SECRETS, ExitCode.notAllowed);
    if (known?.secret !== secret) onSecret(name, secret);
    secrets.set(receiver_id, { secret, until: Date.now() + SECRET_CACHE_MS });
    return secret;
  };

  const ofAddress = async (address_id: string) => {
    const { address, webhook_secret } = await api.call('GET /addresses/{address_id}', {
      params: { address_id },
    });
    return { name: address, secret: webhook_secret };
  };

  const ofReceiver = async (address_id: string, receiver_id: string) => {
    const path = 'GET /addresses/{address_id}/receivers/{receiver_id}/secret';
    const { webhook_secret } = await api.call(path, { params: { address_id, receiver_id } });
    return { name: receiver_id, secret: webhook_secret };
  };

  async function post({ eventId, addressId, receiverId, payload }: Email): Promise<Forwarded> {
    if (payload === undefined) return { url, error: CONTENT_IS_GONE };
    const secret = await secretOf(addressId, receiverId);
    if (secret === undefined) return { url, error: 'the address was deleted' };
    const keys = [signingKeys(secret)];
    const startedMs = Date.now();
    try {
      const now = new Date();
      const written = attemptBody([payload], { format, attempt: { retryCount: 0 }, keys, now });
      const body = bodyBytes(written);
      const wanted = new Request(url, {
        method: 'POST',
        headers: {
          'content-type': written.contentType,
          'user-agent': userAgent,
          ...(authorization !== undefined && { authorization }),
          traceparent: traceparent(
            mailTrace(eventId).traceId,
            idOf(randomBytes(SPAN_ID_BYTES)),
            false,
          ),
          ...signatureHeaders({ eventId, body, keys, now }),
        },
        body: new Uint8Array(body),
        redirect: 'manual',
        signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
      });
      const response = await request(wanted);
      const answer = (await response.text()).slice(0, BODY_CHARS);
      const { status } = response;
      return { url, status, ms: Date.now() - startedMs, ...(answer !== '' && { body: answer }) };
    } catch (error) {
      const text = hasCode(error, 'ECONNREFUSED') ? 'nothing listens there' : causesOf(error);
      return { url, ms: Date.now() - startedMs, error: text };
    }
  }

  return {
    post,
    /** Finds the secret of an address before its first email. */
    prepare: async (addressId: string, receiverId?: string): Promise<void> =>
      void (await secretOf(addressId, receiverId)),
  };
}
