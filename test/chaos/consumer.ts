/**
 * The consumer of the receiver that is pulled. It posts each email to the receiver of the test and
 * acknowledges it. At times it returns an email, and seldom it forgets one, as a program that crashes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

import type { Chance } from './chance.ts';

/** An email that was leased before its erasure may be posted until then. */
export const LEASE_SECONDS = 5;
const MAX = 20;
const WAIT_SECONDS = 2;
const AGAIN_MS = 200;
const ANSWERS_WITHIN_MS = 30_000;
const RETURNED = 0.15;
const FORGOTTEN = 0.02;

type Lease = { lease_id: string; payload: object | null; event_id: string };
type Call = (method: 'GET' | 'POST', path: string, body?: object) => Promise<unknown>;

/** Until it is disposed of, it asks for emails and survives whatever the API responds. */
export function startConsumer(
  { apiUrl, token, receiverPath }: { apiUrl: string; token: string; receiverPath: string },
  { url, ca }: { url: string; ca: string },
  chance: Chance,
): AsyncDisposable {
  const agent = new Agent({ connect: { ca } });
  const call: Call = async (method, path, body) => {
    const response = await fetch(`${apiUrl}${receiverPath}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const payloadOf = async ({ event_id, payload }: Lease): Promise<string> => {
    if (payload !== null) return JSON.stringify(payload);
    const response = await fetch(`${apiUrl}/deliveries/${event_id}/payload`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
    });
    if (!response.ok) throw new Error(`payload of ${event_id}: ${response.status}`);
    return response.text();
  };
  const consume = async (lease: Lease): Promise<void> => {
    const luck = chance.next();
    if (luck < FORGOTTEN) return;
    const lease_ids = [lease.lease_id];
    if (luck < FORGOTTEN + RETURNED) return void (await call('POST', '/nack', { lease_ids }));
    const body = await payloadOf(lease);
    const headers = { 'content-type': 'application/json' };
    const posted = await request(url, { method: 'POST', headers, body, dispatcher: agent });
    await posted.body.dump();
    await call('POST', '/ack', { lease_ids });
  };
  let isStopped = false;
  const consuming = (async () => {
    const query = `/next?max=${MAX}&wait=${WAIT_SECONDS}&lease=${LEASE_SECONDS}`;
    while (!isStopped)
      try {
        const { data } = (await call('GET', query)) as { data: Lease[] };
        await Promise.allSettled(data.map(consume)); // what fails comes again after its lease
      } catch {
        await sleep(AGAIN_MS); // the API, or what it needs, is away
      }
  })();
  return {
    [Symbol.asyncDispose]: async () => {
      isStopped = true;
      await consuming;
      await agent.close();
    },
  };
}
