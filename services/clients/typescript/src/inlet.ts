/** The client of Inlet's REST API, and everything that this package exports. */
import type { LiveEvent } from '../../../core/api/api-types.generated.ts';
import type { Operations } from './operations.generated.ts';
import { createOperations } from './call.ts';
import { type EventsQuery, listenToEvents } from './events.ts';
import type { CallOptions } from './operation.ts';
import { type ClientOptions, createSend, type Send } from './transport.ts';
import { pullEmails, type PullOptions } from './pull.ts';
import { type AwaitedEmail, type EmailWish, waitForEmail } from './wait.ts';

export type * from '../../../core/api/api-types.generated.ts';
export type * from './operations.generated.ts';
export { type ErrorKind, InletError } from './error.ts';
export type { EventsQuery } from './events.ts';
export { type PulledEmail, type PullOptions, RejectEmail } from './pull.ts';
export type { CallOptions, Listing } from './operation.ts';
export { replyAddress, type ReplyAddressOptions } from './reply-address.ts';
export type { ApiRequest, ClientOptions, Send } from './transport.ts';
export type { AwaitedEmail, EmailWish } from './wait.ts';
export {
  type VerifyOptions,
  verifyHook,
  verifyNotification,
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
} from './webhook.ts';

/** Groups of operations, such as `addresses` and `deliveries`, and: */
export type Inlet = Operations & {
  /** Waits for an email. @throws InletError `no_email` when none arrives in time */
  waitForEmail<const Wish extends EmailWish>(wish: Wish): Promise<AwaitedEmail<Wish>>;
  /**
   * What happens in the account, as it happens, across reconnects. The event `stream.gap` says that
   * others may be missing. Ends when the signal is aborted.
   */
  events(query?: EventsQuery, options?: Pick<CallOptions, 'signal'>): AsyncIterable<LiveEvent>;
  /**
   * Leases the emails of a receiver with the mode pull, and acknowledges what `handle` has done. Ends
   * when the signal is aborted.
   */
  pullEmails(options: PullOptions): Promise<void>;
  /** Any request below /v1, with the token and the retries of the other calls. */
  request: Send;
};

export function createInlet(client: ClientOptions): Inlet {
  const send = createSend(client);
  const operations = createOperations(send);

  /** The API's clock can differ from ours. This call needs no permission and counts against no limit. */
  async function now(): Promise<number> {
    const { headers } = await send({ method: 'GET', path: '/sessions/oidc' });
    const date = Date.parse(headers.get('date') ?? '');
    return Number.isNaN(date) ? Date.now() : date;
  }

  return {
    ...operations,
    waitForEmail: (wish) => waitForEmail(operations, now, wish),
    events: (query = {}, { signal } = {}) =>
      listenToEvents((...args) => operations.stream.streamEvents(...args), query, signal),
    pullEmails: (options) => pullEmails(operations, options),
    request: send,
  };
}
