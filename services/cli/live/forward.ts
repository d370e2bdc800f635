/**
 * Posts an email to a local program as Inlet would: the exact bytes of the payload, with valid
 * signatures of both schemes.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { signatureHeaders, signingKeys } from '../../core/delivery/signature.ts';
import { type Api, dataOf } from '../api/client.ts';
import { readPayload } from '../commands/deliveries.ts';
import { ExitCode, Failure } from '../failure.ts';
import { causesOf } from '../fault-text.ts';

export type Forwarded = {
  url: string;
  /** Undefined when there was no response. */
  status?: number;
  ms: number;
  /** Begin of the response's body. */
  body?: string;
  error?: string;
};

type Email = { eventId: string; addressId: string; payload: Buffer };

const RESPONSE_TIMEOUT_MS = 30_000; // as Inlet waits
const BODY_CHARS = 200;
const SECRET_CACHE_MS = 30_000;
const PAYLOAD_TRIES = 50;
const PAYLOAD_PAUSE_MS = 100;

/** The payload of an email that was just accepted; its record may be a moment late. */
export async function newPayload(api: Api, eventId: string): Promise<Buffer> {
  for (let tries = 1; ; tries++) {
    try {
      return await readPayload(api, eventId);
    } catch (error) {
      const isMissing = error instanceof Failure && error.exitCode === ExitCode.notFound;
      if (!isMissing || tries === PAYLOAD_TRIES) throw error;
      await sleep(PAYLOAD_PAUSE_MS);
    }
  }
}

export function createForwarder(api: Api, url: string, userAgent: string) {
  const secrets = new Map<string, { secret: string; until: number }>();

  const secretOf = async (address_id: string): Promise<string> => {
    const known = secrets.get(address_id);
    if (known !== undefined && known.until > Date.now()) return known.secret;
    const params = { path: { address_id } };
    const { webhook_secret } = await dataOf(api.GET('/addresses/{address_id}', { params }));
    secrets.set(address_id, { secret: webhook_secret, until: Date.now() + SECRET_CACHE_MS });
    return webhook_secret;
  };

  return async function forward({ eventId, addressId, payload }: Email): Promise<Forwarded> {
    const keys = [signingKeys(await secretOf(addressId))];
    const startedMs = Date.now();
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': userAgent,
          ...signatureHeaders({ eventId, body: payload, keys, now: new Date() }),
        },
        body: new Uint8Array(payload),
        redirect: 'manual',
        signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
      });
      const body = (await response.text()).slice(0, BODY_CHARS);
      const { status } = response;
      return { url, status, ms: Date.now() - startedMs, ...(body !== '' && { body }) };
    } catch (error) {
      return { url, ms: Date.now() - startedMs, error: causesOf(error) };
    }
  };
}
