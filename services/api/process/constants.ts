/** Values of the API that nobody has a reason to set. Tests start an API with others. */
import { CERTIFICATE_CHECK_MS } from '../../adapters/tls/certificate-reload.ts';

export const API_CONSTANTS = {
  /** One lookup with a second try. Nobody waits for it but the person who checks a domain. */
  dnsMs: 5_000,
  certificateCheckMs: CERTIFICATE_CHECK_MS,
  /** Deliveries per second that one bulk replay makes due: new emails keep most of a dispatcher. */
  replaysPerSecond: 50,
  /** The dashboard polls and has several tabs: far more requests than a token's limits allow. */
  sessionLimits: { perHour: 20_000, perMinute: 1_200 },
  /** A person who mistypes stays below it; guessing a token of 128 bits at this rate is hopeless. */
  authFailuresPerMinute: 60,
  /** Open streams and waiting requests of one process: 1,000 of them need some 100 MB. */
  watchers: 1_000,
  /** Common proxies close a connection that is silent for 30 to 60 seconds. */
  heartbeatMs: 15_000,
  /** A client that reads nothing for this long is gone, or holds memory for nothing. */
  stallMs: 30_000,
};
export type ApiConstants = typeof API_CONSTANTS;
