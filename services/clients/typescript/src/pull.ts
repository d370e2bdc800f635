/**
 * Leases the emails of a receiver with the mode pull, hands each to a function, and acknowledges it
 * when the function has ended (docs/pulling-emails.md).
 */
import type { LeasedEmail, WebhookPayload } from '../../../core/api/api-types.generated.ts';
import type { Operations } from './operations.generated.ts';
import { InletError } from './error.ts';
import { pauseBeforeRetryMs, sleep } from './retry.ts';
import { addressIdOf } from './wait.ts';

export type PulledEmail = Omit<LeasedEmail, 'payload'> & { payload: WebhookPayload };

export type PullOptions = {
  /** What `addresses.create` returned, an id, or the address itself. */
  address: string | { id: string };
  /** A further receiver (`rcv_…`); the first one unless it says otherwise. */
  receiver?: string | undefined;
  /**
   * Called for each email. When it returns, the email is acknowledged. When it throws, the email is
   * returned and comes again later; with {@link RejectEmail}, it has failed for good.
   */
  handle: (email: PulledEmail) => void | Promise<void>;
  /** Emails that are handled at the same time, and leased together: 10 unless it says otherwise. */
  concurrency?: number | undefined;
  /** Leases are renewed while `handle` runs: 60 unless it says otherwise. */
  leaseSeconds?: number | undefined;
  /** Called for an email that `handle` threw on, and for a call that will be repeated. */
  onError?: ((error: unknown) => void) | undefined;
  /** Ends the loop. Emails in progress are handled first. */
  signal?: AbortSignal | undefined;
};

/** Thrown by `handle`: no later attempt would succeed, so the delivery has failed. */
export class RejectEmail extends Error {
  override readonly name = 'RejectEmail';
}

const CONCURRENCY = 10;
const LEASE_SECONDS = 60;
const WAIT_SECONDS = 30;
const REASON_MAX_CHARS = 500;
const LONGEST_PAUSE_AFTER = 5;
/** An ended lease is told to the API soon, together with others. */
const ENDS_TOGETHER_MS = 20;

/** Ends when the signal is aborted. @throws InletError when the API refuses the calls for good */
export async function pullEmails(
  operations: Pick<Operations, 'addresses' | 'deliveries' | 'receivers'>,
  { address, receiver, handle, signal, ...options }: PullOptions,
): Promise<void> {
  const { concurrency: max = CONCURRENCY, leaseSeconds = LEASE_SECONDS } = options;
  const { deliveries, receivers } = operations;
  const onError = options.onError ?? (() => undefined);
  const calls = signal ? { signal } : {};
  const addressId = await addressIdOf(operations.addresses, address, calls);
  const of = [addressId, receiver ?? addressId] as const;

  const payloadOf = async ({ payload, event_id }: LeasedEmail): Promise<WebhookPayload> =>
    payload ?? deliveries.getPayload(event_id);

  /** A lease that cannot be ended now ends by itself, and the email comes again. */
  const tell = (call: Promise<unknown>): Promise<void> => call.then(() => undefined, onError);

  const acknowledge = together((lease_ids) =>
    tell(receivers.acknowledgeEmails(...of, { lease_ids })),
  );

  const giveBack = (email: LeasedEmail, error: unknown): Promise<void> => {
    onError(error);
    const reason = String(error instanceof Error ? error.message : error);
    return tell(
      receivers.returnEmails(...of, {
        lease_ids: [email.lease_id],
        reason: reason.slice(0, REASON_MAX_CHARS),
        is_final: error instanceof RejectEmail,
      }),
    );
  };

  const handleOne = async (email: LeasedEmail): Promise<void> => {
    const renewal = setInterval(
      () => {
        const lease_ids = [email.lease_id];
        void tell(receivers.renewLeases(...of, { lease_ids, lease: leaseSeconds }));
      },
      (leaseSeconds * 1_000) / 3,
    );
    try {
      await handle({ ...email, payload: await payloadOf(email) });
    } catch (error) {
      return await giveBack(email, error);
    } finally {
      clearInterval(renewal);
    }
    await acknowledge(email.lease_id);
  };

  const inProgress = new Set<Promise<void>>();
  const start = (email: LeasedEmail): void => {
    const handling = handleOne(email).finally(() => inProgress.delete(handling));
    inProgress.add(handling);
  };

  for (let failures = 0; !signal?.aborted;) {
    if (inProgress.size >= max) await Promise.race(inProgress);
    try {
      const query = { max: max - inProgress.size, wait: WAIT_SECONDS, lease: leaseSeconds };
      const { data } = await receivers.leaseEmails(...of, query, { ...calls, maxRetries: 0 });
      failures = 0;
      for (const email of data) start(email);
    } catch (error) {
      if (signal?.aborted) break;
      const attempt = Math.min(++failures, LONGEST_PAUSE_AFTER);
      const pauseMs =
        error instanceof InletError &&
        pauseBeforeRetryMs(error, { attempt, maxRetries: attempt }, true, Math.random());
      if (!pauseMs) {
        await Promise.all(inProgress);
        throw error;
      }
      onError(error);
      await sleep(pauseMs, signal).catch(() => undefined);
    }
  }
  await Promise.all(inProgress);
}

/** Ids of the same moment are passed on in one call. */
function together(pass: (ids: string[]) => Promise<void>): (id: string) => Promise<void> {
  let ids: string[] = [];
  let passing: Promise<void> | undefined;
  return (id) => {
    ids.push(id);
    passing ??= sleep(ENDS_TOGETHER_MS, undefined).then(() => {
      const all = ids;
      ids = [];
      passing = undefined;
      return pass(all);
    });
    return passing;
  };
}
