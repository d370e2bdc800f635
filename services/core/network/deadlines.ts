/**
 * Every deadline of the connections that Inlet opens and that Node or a library would otherwise
 * choose (D292). Milliseconds, under the names of the library that takes them.
 */

/**
 * The most that one address of a host may take when there is another. Node's default is 250 ms, which
 * a far host or a lost SYN exceeds. Two lost SYNs, sent again after 1 and 3 s (RFC 6298 §2), do not.
 * Hooks and silent receivers have 5 s: a dead address leaves them a second and a half.
 */
const ADDRESS_MAX_MS = 3_500;
/** The same share of a shorter limit: a lost SYN fits into the shortest, 2 s. */
const ADDRESS_SHARE = 0.7;

/** @param limitMs of the whole connect; absent when there is none that is shorter */
export const addressLimitMs = (limitMs = Infinity): number =>
  Math.ceil(Math.min(ADDRESS_MAX_MS, ADDRESS_SHARE * limitMs));

/** undici: 4 s, 10 min, 5 min, 5 min. The sender of a request limits its whole exchange. */
export const HTTP_POOL = {
  keepAliveTimeout: 4_000, // common servers keep an idle connection for 5 s or longer
  keepAliveMaxTimeout: 60_000, // when the server says how long it keeps it
  headersTimeout: 0,
  bodyTimeout: 0,
} as const;

/** OpenID providers. A user waits (openid-client: 30 s). */
export const OIDC_TIMEOUT_MS = 10_000;

/** MongoDB's driver: 30 s, 30 s, 10 s, none, none. An outage is noticed within two seconds. */
export const MONGODB = {
  connectTimeoutMS: 2_000,
  serverSelectionTimeoutMS: 2_000,
  heartbeatFrequencyMS: 2_000,
  socketTimeoutMS: 20_000, // no answer to a command
  wtimeoutMS: 10_000, // no majority
} as const;

/** NATS's client: 20 s, 2 min, 2. It gives each address of a host the whole `timeout`. */
export const NATS = {
  timeout: 3_000, // a server that is down may not even refuse a connection: then the next one is tried
  pingInterval: 3_000,
  maxPingOut: 2, // a dead connection is dropped after two pings without an answer
} as const;

/** Mail servers (nodemailer: connect 2 min, greeting 30 s, silence 10 min). */
export const SMTP = {
  connectionTimeout: 30_000,
  greetingTimeout: 30_000,
  socketTimeout: 330_000, // more than a gateway takes for its reply
} as const;
