/** Leases the emails of a receiver with the mode pull, and ends the leases by what became of them. */
import type { LeasedEmail } from '../../core/api/api-types.generated.ts';
import { outcomeOf } from '../../core/delivery/retry.ts';
import type { Api } from '../api/client.ts';
import { readPayload } from '../api/payload.ts';
import type { Retrying } from './retry.ts';

/** How an attempt ended: as Inlet would decide by the same response to a POST. */
export type Verdict =
  { kind: 'accepted' } | { kind: 'returned' | 'rejected'; reason: string | undefined };

type PullEmailsDependencies = {
  api: Api;
  retrying: Retrying;
  stopped: AbortSignal;
  onReady: () => void;
};

const ONE = '/addresses/{address_id}/receivers/{receiver_id}';
const TOGETHER = 10;
const WAIT_SECONDS = 30;
/** Twice as long as a local program may take to respond. */
const LEASE_SECONDS = 60;
const REASON_MAX_CHARS = 500;

/** @param status undefined without a response */
export function verdictOf(status: number | undefined, reason: string | undefined): Verdict {
  const outcome =
    status === undefined ? 'unreachable' : outcomeOf(status, undefined, new Date()).kind;
  if (outcome === 'accepted') return { kind: 'accepted' };
  return { kind: outcome === 'refused' ? 'rejected' : 'returned', reason };
}

/**
 * Until `stopped` is aborted. An email whose lease cannot be ended comes again.
 * @param handle of each email, several at the same time
 */
export async function pullEmails(
  { api, retrying, stopped, onReady }: PullEmailsDependencies,
  params: { address_id: string; receiver_id: string },
  handle: (email: LeasedEmail, payload: Buffer) => Promise<Verdict>,
): Promise<void> {
  const payloadOf = async ({ payload, event_id }: LeasedEmail): Promise<Buffer> =>
    payload === null
      ? retrying(() => readPayload(api, event_id))
      : Buffer.from(JSON.stringify(payload));

  const end = async ({ lease_id }: LeasedEmail, verdict: Verdict): Promise<void> => {
    const lease_ids = [lease_id];
    if (verdict.kind === 'accepted') {
      await retrying(() => api.call(`POST ${ONE}/ack`, { params, body: { lease_ids } }));
      return;
    }
    const reason = verdict.reason?.slice(0, REASON_MAX_CHARS);
    const is_final = verdict.kind === 'rejected';
    const body = { lease_ids, is_final, ...(reason !== undefined && { reason }) };
    await retrying(() => api.call(`POST ${ONE}/nack`, { params, body }));
  };

  for (let isFirst = true; !stopped.aborted; isFirst = false) {
    const query = { max: TOGETHER, wait: isFirst ? 0 : WAIT_SECONDS, lease: LEASE_SECONDS };
    const { data } = await retrying(() => api.call(`GET ${ONE}/next`, { params, query }));
    if (isFirst) onReady();
    await Promise.all(
      data.map(async (email) => end(email, await handle(email, await payloadOf(email)))),
    );
  }
}
