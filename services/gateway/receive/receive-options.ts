/**
 * What content threads need of the settings. The main thread makes it, and loads none of the code that
 * reads emails.
 */
import type { SocketTarget } from '../../adapters/dns/sockets.ts';
import type { DnsOptions } from '../../adapters/dns/resolver.ts';
import type { RspamdOptions } from '../../adapters/http/rspamd.ts';
import type { MailAuthOptions } from '../../adapters/mailauth/authenticate.ts';
import type { GatewayConfig } from '../process/config.ts';
import type { GatewayConstants } from '../process/constants.ts';
import type { VirusScanOptions } from './virus-scan.ts';

/** Settings as plain data, which a thread can be given. */
export type ReceiveOptions = {
  dns: DnsOptions;
  /** undefined when authentication is switched off. */
  authentication: MailAuthOptions | undefined;
  rspamd: RspamdOptions | undefined;
  /** undefined when nothing scans for malware. */
  clamd: (VirusScanOptions & { address: SocketTarget }) | undefined;
  /** Lowest score with the verdict spam. */
  spamThreshold: number;
  /** How long the text of an email is searched, in milliseconds; 0 for never. */
  textSearchedMs: number;
  /** Whether an email that its sender repeats is stored once. */
  foldsRepeats: boolean;
  /**
   * Raw bytes of emails that a thread reads and stores at the same time. It takes three to ten times as
   * much memory.
   */
  maxBytes: number;
  /** undefined where no links can be made. */
  links: { key: Uint8Array; baseUrl: string; lifetimeMs: number } | undefined;
};

/** Shorter than the TTL of nearly every record. */
const RESULT_CACHE_MS = 30_000;

export function receiveOptions(config: GatewayConfig, constants: GatewayConstants): ReceiveOptions {
  const { LINK_KEYS: [key] = [], PUBLIC_API_URL: baseUrl, RSPAMD_URL: url } = config;
  return {
    dns: {
      servers: config.DNS_SERVERS,
      timeoutMs: constants.dnsMs,
      cacheTtlMs: constants.dnsCacheMs,
    },
    authentication: config.MAIL_AUTH
      ? {
          hostname: config.SMTP_HOSTNAME,
          budgetMs: constants.mailAuthMs,
          trustedSealers: config.ARC_TRUSTED_SEALERS,
          resultCacheMs: Math.min(RESULT_CACHE_MS, constants.dnsCacheMs),
        }
      : undefined,
    rspamd:
      url === undefined
        ? undefined
        : { url, password: config.RSPAMD_PASSWORD, timeoutMs: constants.rspamdMs },
    clamd: config.CLAMD && { address: config.CLAMD, timeoutMs: constants.clamdMs },
    spamThreshold: config.SPAM_THRESHOLD,
    textSearchedMs: config.SEARCH_BODIES,
    foldsRepeats: config.DUPLICATE_WINDOW > 0,
    maxBytes: config.MAX_MESSAGE_BYTES, // the largest email alone
    links:
      key === undefined || baseUrl === undefined
        ? undefined
        : { key, baseUrl, lifetimeMs: config.LINK_LIFETIME },
  };
}
