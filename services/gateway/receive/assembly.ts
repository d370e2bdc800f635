/**
 * Everything that an email needs between the end of its DATA and its event on the stream. Each
 * content thread makes it once.
 */
import type { Dns, DnsOptions } from '../../adapters/dns/resolver.ts';
import { dnsOptions } from '../../adapters/dns/resolver.ts';
import { type Clamd, type ClamdAddress, createClamd } from '../../adapters/clamd/clamd.ts';
import { createRspamd, type RspamdOptions } from '../../adapters/http/rspamd.ts';
import { createAuthenticate, type MailAuthOptions } from '../../adapters/mailauth/authenticate.ts';
import type { Log } from '../../adapters/process/log.ts';
import { pooledRandom } from '../../adapters/process/randomness.ts';
import { isFull } from '../../adapters/stream/errors.ts';
import { createObjects } from '../../adapters/stream/objects/objects.ts';
import { untilConnected } from '../../adapters/stream/outage.ts';
import { withRoom } from '../../adapters/stream/objects/room.ts';
import { createStoreMail } from '../../adapters/stream/store.ts';
import type { Streams } from '../../adapters/stream/streams.ts';
import { filePath, signedLink } from '../../core/signed-link.ts';
import { queueFull, SmtpRefusal } from '../../core/smtp/smtp-reply.ts';
import { writtenLength } from '../../core/webhook/payload-bytes.ts';
import { attachmentsFile, linkedAttachments } from '../../core/webhook/linked-attachments.ts';
import type { GatewayConfig } from '../config.ts';
import { createCheckSender, type CheckSenderIO } from './check-sender.ts';
import type { AskHook } from './hooks.ts';
import { createReceive, type ReceiveMetrics } from './receive.ts';
import type { FileLink, MailFiles, Receive, Settled } from './received-mail.ts';
import { boundedClamd, createVirusScan, type VirusScanOptions } from './virus-scan.ts';

/** Settings as plain data, which a thread can be given. */
export type ReceiveOptions = {
  dns: DnsOptions;
  /** undefined when authentication is switched off. */
  authentication: MailAuthOptions | undefined;
  rspamd: RspamdOptions | undefined;
  /** undefined when nothing scans for malware. */
  clamd: (VirusScanOptions & { address: ClamdAddress }) | undefined;
  /** Lowest score with the verdict spam. */
  spamThreshold: number;
  /** Whether an email that its sender repeats is stored once. */
  foldsRepeats: boolean;
  /** Raw bytes of emails that a thread reads and stores at the same time. */
  maxBytes: number;
  /** undefined where no links can be made. */
  links: { key: Uint8Array; baseUrl: string; lifetimeMs: number } | undefined;
};

/** Shorter than the TTL of nearly every record. */
const RESULT_CACHE_MS = 30_000;

export function receiveOptions(config: GatewayConfig): ReceiveOptions {
  const { LINK_KEYS: [key] = [], PUBLIC_API_URL: baseUrl, RSPAMD_URL: url } = config;
  return {
    dns: dnsOptions(config),
    authentication: config.MAIL_AUTH
      ? {
          hostname: config.SMTP_HOSTNAME,
          budgetMs: config.MAIL_AUTH_TIMEOUT,
          trustedSealers: config.ARC_TRUSTED_SEALERS,
          resultCacheMs: Math.min(RESULT_CACHE_MS, config.DNS_CACHE_TTL),
        }
      : undefined,
    rspamd:
      url === undefined
        ? undefined
        : { url, password: config.RSPAMD_PASSWORD, timeoutMs: config.RSPAMD_TIMEOUT },
    clamd: config.CLAMD && { address: config.CLAMD, timeoutMs: config.CLAMD_TIMEOUT },
    spamThreshold: config.SPAM_THRESHOLD,
    foldsRepeats: config.DUPLICATE_WINDOW > 0,
    maxBytes: config.MAX_BYTES_AT_WORK,
    links:
      key === undefined || baseUrl === undefined
        ? undefined
        : { key, baseUrl, lifetimeMs: config.LINK_LIFETIME },
  };
}

/** Checks emails. Its caches are large. */
export type SenderChecks = AsyncDisposable &
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

export type ReceiveParts = {
  senderChecks: SenderChecks;
  streams: Streams;
  askHook: AskHook;
  isConnected: () => boolean;
  onSettled: (settled: Settled) => void;
  metrics: ReceiveMetrics;
  clock: () => Date;
};

export function assembleReceive(
  { spamThreshold, foldsRepeats, maxBytes, links, clamd: scanning }: ReceiveOptions,
  parts: ReceiveParts,
  log: Log,
): Receive {
  const { senderChecks, streams, askHook, isConnected, onSettled, metrics, clock } = parts;
  const { authenticate, rspamd, clamd } = senderChecks;
  const virusScan = clamd && scanning && createVirusScan(clamd, scanning, metrics, log);
  return createReceive(
    {
      checkSender: createCheckSender({ authenticate, rspamd, virusScan, metrics }, log),
      virusScan,
      spamThreshold,
      foldsRepeats,
      maxBytes,
      askHook,
      onSettled,
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
  const files = createObjects(streams.linked);
  const put: typeof files.put = async (name, pieces) => {
    await untilConnected(isConnected);
    try {
      const bytes = writtenLength(pieces);
      await withRoom(streams.askRoom, bytes, () => files.put(name, pieces));
    } catch (error) {
      throw isFull(error) ? new SmtpRefusal(queueFull) : error;
    }
  };
  return {
    storeRaw: (eventId, raw) => put(eventId, [raw]),
    storeAttachments: (eventId, attachments) =>
      put(attachmentsFile(eventId), linkedAttachments(attachments)),
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
