/** Values of the gateway that nobody has a reason to set. Tests start a gateway with shorter ones. */
import { CERTIFICATE_CHECK_MS } from '../../adapters/tls/certificate-reload.ts';

export const GATEWAY_CONSTANTS = {
  /** A load balancer sends its PROXY header with the first packet. */
  proxyHeaderMs: 5_000,
  /** RFC 5321 §4.5.3.1.8: a server must accept at least 100, and senders split longer lists. */
  maxRecipients: 100,
  /** A client may repeat its recipients, and many may be refused. */
  maxRcptCommands: 1_000,
  /** RFC 5321 §4.5.3.2.7 requires at least 5 minutes between commands. */
  idleMs: 300_000,
  /** RFC 5321 §4.5.3.2.5: senders wait 3 minutes for each block, and a server as long. */
  dataMs: 180_000,
  /** One email in all: 26 MB at 15 kB/s. A client that sends byte by byte holds no connection for longer. */
  mailMs: 1_800_000,
  /** RFC 5321 §4.5.3.2.6: senders wait 10 minutes for the reply after DATA. */
  replyMs: 300_000,
  /** All DNS lookups of one email together: senders wait meanwhile. */
  mailAuthMs: 5_000,
  /** One email is scored or scanned in well under a second, or the server is overloaded. */
  rspamdMs: 5_000,
  /** An infected email is scanned twice within `replyMs`. */
  clamdMs: 5_000,
  /** One lookup with a second try: half of `mailAuthMs`, so that one slow zone leaves time for others. */
  dnsMs: 2_000,
  /** A sender that corrects its records is believed after this time at the latest. */
  dnsCacheMs: 300_000,
  certificateCheckMs: CERTIFICATE_CHECK_MS,
};
export type GatewayConstants = typeof GATEWAY_CONSTANTS;
