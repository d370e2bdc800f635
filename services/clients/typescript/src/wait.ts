/** Waits for an email, for tests of what sends it. */
import type { AwaitedDelivery, WebhookPayload } from '../../../core/api/api-types.generated.ts';
import type { Operations } from './operations.generated.ts';
import { InletError } from './error.ts';
import { sleep } from './retry.ts';

export type EmailWish = {
  /** What `addresses.create` returned, an id, or the address itself. */
  address: string | { id: string; created_at: string };
  /**
   * An email that arrived since then counts, too: the oldest. Unless it says otherwise, since the
   * address was created, if the object is given, else since this call.
   */
  since?: string | Date | undefined;
  /** Waits for an email with a code. The address must extract `codes`. */
  code?: boolean | undefined;
  /** Waits for an email with a link. The address must extract `links`. */
  link?: boolean | undefined;
  /** Part of the text of the link, in any case. Waits for an email with such a link. */
  linkText?: string | undefined;
  /** Host of the link, or a domain above it. Waits for an email with such a link. */
  linkHost?: string | undefined;
  /** Reads the content of the email, too. */
  payload?: boolean | undefined;
  /** 60 unless it says otherwise. */
  timeoutSeconds?: number | undefined;
  signal?: AbortSignal | undefined;
};

type Wished<Wish, Field extends 'code' | 'link' | 'payload', Type> =
  Wish extends Record<Field, true> ? Record<Field, Type> : unknown;

export type AwaitedEmail<Wish> = AwaitedDelivery &
  Wished<Wish, 'code', string> &
  Wished<Wish, 'link', string> &
  Wished<Wish, 'payload', WebhookPayload>;

const TIMEOUT_SECONDS = 60;
/** The API waits no longer for one call. */
const CALL_MAX_SECONDS = 60;
/** The content of an email can be read a few seconds after its arrival. */
const PAYLOAD_TRIES = 20;
const PAYLOAD_PAUSE_MS = 250;

/**
 * @param now milliseconds since 1970, of the API's clock
 * @throws InletError `no_email` when none arrives in time
 */
export async function waitForEmail<Wish extends EmailWish>(
  { addresses, deliveries }: Pick<Operations, 'addresses' | 'deliveries'>,
  now: () => Promise<number>,
  wish: Wish,
): Promise<AwaitedEmail<Wish>> {
  const { address, code, link, timeoutSeconds = TIMEOUT_SECONDS, signal } = wish;
  const options = signal ? { signal } : {};
  const deadlineMs = Date.now() + timeoutSeconds * 1_000;
  const created = typeof address === 'string' ? undefined : address.created_at;
  const since = new Date(wish.since ?? created ?? (await now())).toISOString();
  const id = await addressIdOf(addresses, address, options);
  for (;;) {
    const leftSeconds = Math.ceil((deadlineMs - Date.now()) / 1_000);
    const timeout = Math.min(Math.max(leftSeconds, 1), CALL_MAX_SECONDS);
    const query = {
      address_id: id,
      since,
      timeout,
      code,
      link,
      link_text: wish.linkText,
      link_host: wish.linkHost,
    };
    const delivery = await deliveries.waitForDelivery(query, options);
    if (delivery !== undefined)
      return {
        ...delivery,
        ...(wish.payload && { payload: await payloadOf(deliveries, delivery.event_id, options) }),
      } as AwaitedEmail<Wish>;
    if (Date.now() >= deadlineMs) throw nothingArrived(wish, timeoutSeconds);
  }
}

/** @param address what names it: an id, the address itself, or an object with its id */
export async function addressIdOf(
  addresses: Operations['addresses'],
  address: string | { id: string },
  options: { signal?: AbortSignal },
): Promise<string> {
  if (typeof address !== 'string') return address.id;
  if (!address.includes('@')) return address;
  const { data } = await addresses.list({ address, limit: 1 }, options).page();
  const [found] = data;
  if (found) return found.id;
  throw new InletError('not_found', `There is no address ${address}`);
}

async function payloadOf(
  deliveries: Operations['deliveries'],
  eventId: string,
  options: { signal?: AbortSignal },
): Promise<WebhookPayload> {
  for (let tries = 1; ; tries++) {
    try {
      return await deliveries.getPayload(eventId, {}, options);
    } catch (error) {
      const isMissing = error instanceof InletError && error.kind === 'not_found';
      if (!isMissing || tries === PAYLOAD_TRIES) throw error;
    }
    await sleep(PAYLOAD_PAUSE_MS, options.signal);
  }
}

function nothingArrived({ address, code, link }: EmailWish, seconds: number): InletError {
  const name = typeof address === 'string' ? address : address.id;
  const what = code ? 'email with a code' : link ? 'email with a link' : 'email';
  return new InletError('no_email', `No ${what} arrived at ${name} within ${seconds} seconds`);
}
