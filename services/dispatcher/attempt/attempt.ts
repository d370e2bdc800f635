/** Makes one attempt to deliver an email: a signed POST, of large payloads by a thread of its own. */
import type { Attempt } from '../../core/delivery/delivery.ts';
import type { WebhookResult, Webhooks } from '../../adapters/http/webhook.ts';
import type { QueuedMail } from '../../adapters/stream/pull.ts';
import type { KeyOf } from '../../adapters/stream/objects/sealed-content.ts';
import { openPayload } from '../../adapters/stream/events/wire.ts';
import type { CallReceiver } from '../../platform/receiver/receiver-call.ts';
import { CONTENT_UNREADABLE, type ContentKeys } from '../../core/secret/content-key.ts';
import type { WebhookTarget } from '../../core/address/address.ts';
import type { StoredFiles } from '../../core/bucket/stored-files.ts';
import { causeOfOutcome, OwnFault, whoseFault } from '../../core/delivery/fault.ts';
import { isNotification, type MailEvent } from '../../core/delivery/mail-event.ts';
import { formatHeaders } from '../../core/webhook/cloud-event.ts';
import { recipientIn } from '../../core/webhook/formats/stored-payload.ts';
import type { ReceiverSample } from '../../core/delivery/claim.ts';
import type { Permit } from '../pacing/arrival.ts';
import type { FilesOfAttempt, StoreFiles } from './files/file-storage.ts';
import type { LargePosts } from './large-posts.ts';
import { postSigned } from './signed-post.ts';
import type { KeysOf } from './target-keys.ts';

type Mail = Pick<QueuedMail, 'event' | 'payload'>;
type Sent = { retryCount: number; traceparent: string };
type Posted = Sent & {
  url: string;
  storage: string | undefined;
  contentKeys: ContentKeys | undefined;
};

/**
 * @param target undefined when the address or the notification no longer exists
 * @throws OwnFault when the attempt failed because of this process, so that it does not count
 */
export type MakeAttempt = (
  mail: Mail,
  target: WebhookTarget | undefined,
  sent: Sent & { storedFiles: StoredFiles | undefined },
  permit: Permit,
) => Promise<AttemptResult>;

/** With the files of the email that are in a bucket, also if the receiver does not accept it. */
export type AttemptResult = WebhookResult & {
  storedFiles?: StoredFiles;
  /** A consumer asks for it, so nothing was sent. */
  isForConsumer?: true;
};

type PostIO = {
  webhooks: Pick<Webhooks, 'post'>;
  largePosts: Pick<LargePosts, 'post'>;
  callReceiver: CallReceiver;
  keysOf: KeysOf;
};

type AttemptIO = PostIO & {
  /** The keys of an account, to decrypt what is stored of its emails. */
  contentKeyOf: KeyOf;
  storeFiles: StoreFiles;
  /** Whether this machine's clock is too far from a server's for certificates. */
  isClockWrong: () => boolean;
};

/** Signs a payload, or the email itself for the format `raw`, and posts it. */
const createPost = (io: PostIO, userAgent: string, clock: () => Date) =>
  async function post(
    { event, payload: data }: Mail,
    target: WebhookTarget,
    { url, retryCount, traceparent, storage, contentKeys }: Posted,
    { requestStarted, firstByteMs }: Permit,
  ): Promise<WebhookResult> {
    const { format } = target;
    const { event_id: eventId, payload_in } = event;
    const receivedAt = new Date(event.received_at_ms);
    const formats = formatHeaders({ ...target, eventId, receivedAt });
    const keys = io.keysOf(target);
    const payload = openPayload(event, data, contentKeys);
    return io.callReceiver(target, async ({ headers: credentials, connection }) => {
      const request = {
        attempt: { retryCount, storage },
        traceparent,
        eventId,
        format,
        url,
        userAgent,
        keys,
        headers: formats,
        credentials,
        connection,
        withHeaders: true,
      };
      const isInMessage = payload_in === 'message';
      if (format === 'raw') {
        const recipient = isInMessage ? recipientIn(payload) : undefined;
        const large = { ...request, recipient, contentKeys };
        return (await io.largePosts.post(large, requestStarted)) ?? impossible(NO_RAW_EMAIL);
      }
      const posted = isInMessage
        ? await postSigned(
            [payload],
            { ...request, firstByteMs },
            io.webhooks,
            clock(),
            requestStarted,
          )
        : await io.largePosts.post({ ...request, contentKeys }, requestStarted);
      return posted ?? impossible('the payload is no longer stored');
    });
  };

export function createAttempt(io: AttemptIO, userAgent: string, clock: () => Date): MakeAttempt {
  const post = createPost(io, userAgent, clock);

  const filesOf = async (
    event: MailEvent,
    stored: StoredFiles | undefined,
    permit: Permit,
    keys: ContentKeys | undefined,
  ): Promise<FilesOfAttempt | { failure: WebhookResult } | undefined> => {
    if (event.storage === undefined) return undefined;
    permit.requestStarted(); // a slow bucket holds up its own address, as a slow receiver does
    return io.storeFiles({ ...event, storage: event.storage }, stored, keys);
  };

  /** Always releases the permit. */
  const made: MakeAttempt = async (mail, target, sent, permit) => {
    const { event } = mail;
    let sample: ReceiverSample | undefined; // stays undefined when the receiver was not called
    try {
      if (target === undefined) {
        const what = isNotification(event.event_id) ? 'notification' : 'address';
        return impossible(`the ${what} no longer exists`);
      }
      const { webhook_url: url } = target;
      const asks = target.mode === 'pull';
      if (url === null && !asks) return impossible('the address has no webhook URL');
      const isSealed = event.seal !== undefined;
      const contentKeys = isSealed ? await io.contentKeyOf(event.account_id) : undefined;
      if (isSealed && contentKeys === undefined) return impossible(CONTENT_UNREADABLE);
      const stored = await filesOf(event, sent.storedFiles, permit, contentKeys);
      if (stored && 'failure' in stored) {
        const { failure } = stored;
        sample = { durationMs: failure.durationMs, isFailure: true };
        return failure;
      }
      if (url === null || asks)
        return { ...FOR_CONSUMER, ...(stored && { storedFiles: stored.files }) };
      const posted = { ...sent, url, storage: stored?.json, contentKeys };
      const result = await post(mail, target, posted, permit);
      const withFiles = { ...result, ...(stored && { storedFiles: stored.files }) };
      if (result.outcome.kind === 'blocked') return withFiles;
      sample = {
        durationMs: result.durationMs,
        isFailure: result.outcome.kind === 'busy' || result.outcome.kind === 'unreachable',
        isSilent: result.outcome.kind === 'unreachable' && result.outcome.reason === 'timeout',
      };
      return withFiles;
    } finally {
      permit.release(sample);
    }
  };

  return async function attempt(...given) {
    const result = await made(...given);
    const cause = causeOfOutcome(result.outcome, { isClockWrong: io.isClockWrong() });
    if (cause === undefined || whoseFault(cause) === 'theirs') return result;
    throw new OwnFault(cause, `the attempt failed: ${result.detail ?? result.error}`);
  };
}

const NO_RAW_EMAIL =
  'the raw email is not stored: it arrived before the receiver had the format raw, or was removed';

/** The consumer decides the outcome later. */
const FOR_CONSUMER: AttemptResult = {
  outcome: { kind: 'accepted', status: 200 },
  durationMs: 0,
  excerpt: null,
  error: null,
  isForConsumer: true,
};

const impossible = (reason: string): WebhookResult => ({
  outcome: { kind: 'blocked', reason },
  durationMs: 0,
  excerpt: null,
  error: reason,
});

/** As the record of the delivery has it. */
export const attemptRecord = (
  { outcome, durationMs, excerpt, error, location }: WebhookResult,
  at: Date,
): Attempt => ({
  at,
  duration_ms: durationMs,
  outcome: outcome.kind,
  status_code: 'status' in outcome ? outcome.status : null,
  error,
  excerpt,
  ...(location !== undefined && { location }),
  ...('tokenStatus' in outcome && { token_status: outcome.tokenStatus }),
});

/** Bytes of the request. The format `raw` posts the email itself instead of its payload. */
export const requestBytes = (
  event: Pick<MailEvent, 'payload_bytes' | 'size_bytes'>,
  target: WebhookTarget | undefined,
): number =>
  target?.format === 'raw' ? Math.max(event.payload_bytes, event.size_bytes) : event.payload_bytes;
