/**
 * Everything that an email needs between the end of its DATA and its event on the stream. Each
 * content thread makes it once.
 */
import type { Dns } from '../../adapters/dns/resolver.ts';
import { type Clamd, createClamd } from '../../adapters/clamd/clamd.ts';
import { createRspamd } from '../../adapters/http/rspamd.ts';
import { createAuthenticate } from '../../adapters/mailauth/authenticate.ts';
import type { EmailBudgets } from '../../core/expression/budget.ts';
import type { Log } from '../../adapters/process/log.ts';
import { pooledRandom } from '../../adapters/process/randomness.ts';
import { isFull } from '../../adapters/stream/connection/errors.ts';
import { createObjects } from '../../adapters/stream/objects/objects.ts';
import { untilConnected } from '../../adapters/stream/connection/outage.ts';
import { withRoom } from '../../adapters/stream/objects/make-room.ts';
import { createStoreMail } from '../../adapters/stream/store.ts';
import { LINKED_BUCKET, type Streams } from '../../adapters/stream/events/streams.ts';
import { NotWriting } from '../../adapters/stream/connection/write-faults.ts';
import { filePath, signedLink } from '../../core/secret/signed-link.ts';
import { queueFull, SmtpRefusal } from '../../core/smtp/smtp-reply.ts';
import { writtenLength } from '../../core/webhook/payload-bytes.ts';
import { attachmentsFile, linkedAttachments } from '../../core/webhook/linked-attachments.ts';
import { createCheckSender, type CheckSenderIO } from './check-sender.ts';
import type { AskHook } from './hooks.ts';
import type { ReceiveOptions } from './receive-options.ts';
import { type AskAuthors, createReceive, type ReceiveMetrics } from './receive.ts';
import type { FileLink, MailFiles, Receive, FixedDecision } from './received-mail.ts';
import { boundedClamd, createVirusScan } from './virus-scan.ts';

/** Checks emails. Its caches are large. */
type SenderChecks = AsyncDisposable &
  Pick<CheckSenderIO, 'authenticate' | 'rspamd'> & { clamd: Clamd | undefined };

export function createSenderChecks(
  { authentication, rspamd: rspamdOptions, clamd }: ReceiveOptions,
  dns: Dns,
): SenderChecks {
  const rspamd = rspamdOptions && createRspamd(rspamdOptions);
  return {
    authenticate: authentication && createAuthenticate(dns, authentication),
    rspamd,
    clamd: clamd && boundedClamd(createClamd(clamd.address)),
    [Symbol.asyncDispose]: async () => rspamd?.[Symbol.asyncDispose](),
  };
}

type ReceiveDependencies = {
  senderChecks: SenderChecks;
  streams: Streams;
  askHook: AskHook;
  askAuthors: AskAuthors;
  isConnected: () => boolean;
  onFixed: (fixed: FixedDecision) => Promise<void> | undefined;
  budgets: EmailBudgets;
  metrics: ReceiveMetrics;
  clock: () => Date;
};

export function assembleReceive(
  { spamThreshold, textSearchedMs, foldsRepeats, maxBytes, links, clamd: scanning }: ReceiveOptions,
  dependencies: ReceiveDependencies,
  log: Log,
): Receive {
  const { senderChecks, streams, askHook, askAuthors, isConnected, metrics, clock } = dependencies;
  const { authenticate, rspamd, clamd } = senderChecks;
  const virusScan = clamd && scanning && createVirusScan(clamd, scanning, metrics, log);
  return createReceive(
    {
      checkSender: createCheckSender({ authenticate, rspamd, virusScan, metrics }, log),
      virusScan,
      spamThreshold,
      textSearchedMs,
      foldsRepeats,
      maxBytes,
      askHook,
      askAuthors,
      budgets: dependencies.budgets,
      onFixed: dependencies.onFixed,
      storeMail: createStoreMail(streams, isConnected),
      files: mailFiles(streams, isConnected),
      link: links && fileLink(links),
      metrics,
    },
    clock,
    pooledRandom,
  );
}

function mailFiles(streams: Streams, isConnected: () => boolean): MailFiles {
  const shared = { faults: streams.publisher.faults, bucket: LINKED_BUCKET };
  const files = createObjects(streams.linked, undefined, shared);
  const put: typeof files.put = async (name, pieces, owner) => {
    await untilConnected(isConnected);
    try {
      const bytes = writtenLength(pieces);
      await withRoom(streams.askRoom, bytes, () => files.put(name, pieces, owner));
    } catch (error) {
      const isRefused = isFull(error) || error instanceof NotWriting;
      throw isRefused ? new SmtpRefusal(queueFull) : error;
    }
  };
  return {
    storeRaw: (eventId, raw, owner) => put(eventId, [raw], owner),
    storeAttachments: (eventId, attachments, owner) =>
      put(attachmentsFile(eventId), linkedAttachments(attachments), owner),
  };
}

const fileLink =
  ({ key, baseUrl, lifetimeMs }: NonNullable<ReceiveOptions['links']>): FileLink =>
  (eventId, file, receivedAt) =>
    signedLink({
      baseUrl,
      path: filePath(eventId, file),
      expires: new Date(receivedAt.getTime() + lifetimeMs),
      key,
    });
