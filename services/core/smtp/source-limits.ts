/**
 * Limits for one source, an IPv4 address or an IPv6 /64. Every refusal is temporary: an honest
 * sender retries.
 */
import {
  tooManyConnections,
  tooManyMessages,
  tooManyUnknown,
  tooManyNewConnections,
  type SmtpReply,
} from './smtp-reply.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * Everything that has a limit, in the order in which gateways report their counts to each other.
 */
export const MEASURES = [
  'open_connections',
  'connections_per_minute',
  'messages_per_minute',
  'unknown_per_minute',
  'unknown_per_hour',
] as const;
export type Measure = (typeof MEASURES)[number];

/** The limit of each measure; 0 for no limit. */
export type SourceLimits = Readonly<Record<Measure, number>>;

/** The window of each measure, in their order; 0 for what is counted while it is present. */
export const SOURCE_WINDOWS_MS = [0, MINUTE_MS, MINUTE_MS, MINUTE_MS, HOUR_MS] as const;

const REPLIES: Readonly<Record<Measure, SmtpReply>> = {
  open_connections: tooManyConnections,
  connections_per_minute: tooManyNewConnections,
  messages_per_minute: tooManyMessages,
  unknown_per_minute: tooManyUnknown,
  unknown_per_hour: tooManyUnknown,
};

/**
 * The reply that refuses one more, or undefined when it is within the limits.
 * @param count the current count, over all gateways
 */
export function refusalOfOneMore(
  measures: readonly Measure[],
  limits: SourceLimits,
  count: (measure: Measure) => number,
): SmtpReply | undefined {
  const reached = measures.find(
    (measure) => limits[measure] > 0 && count(measure) >= limits[measure],
  );
  return reached && REPLIES[reached];
}

/** The count as a share of its limit; 0 when there is no limit. */
export const shareOf = (limit: number, count: number): number => (limit > 0 ? count / limit : 0);

/**
 * A gateway reports a source or an address to the others when any of its counts reaches this share of
 * the limit.
 */
export const REPORTED_SHARE = 1 / 10;
