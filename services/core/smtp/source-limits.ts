/**
 * Limits for one source, an IPv4 address or an IPv6 /64. Every refusal is temporary: an honest
 * sender retries.
 */
import type { WindowRule } from './sliding-window.ts';
import {
  tooManyConnections,
  tooManyMessages,
  tooManyUnknown,
  tooManyNewConnections,
  type SmtpReply,
} from './smtp-reply.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Counted over a time window. */
export const RATES = [
  'connections_per_minute',
  'messages_per_minute',
  'unknown_per_minute',
  'unknown_per_hour',
] as const;
export type Rate = (typeof RATES)[number];

/**
 * Everything that has a limit, in the order in which gateways report their counts to each other.
 */
export const MEASURES = ['open_connections', ...RATES] as const;
export type Measure = (typeof MEASURES)[number];

/** The limit of each measure; 0 for no limit. */
export type SourceLimits = Readonly<Record<Measure, number>>;

export const windowOf = (rate: Rate, limits: SourceLimits): WindowRule => ({
  limit: limits[rate],
  windowMs: rate === 'unknown_per_hour' ? HOUR_MS : MINUTE_MS,
});

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
export const shareOf = (measure: Measure, limits: SourceLimits, count: number): number =>
  limits[measure] > 0 ? count / limits[measure] : 0;

/**
 * A gateway reports a source to the others when any of its counts reaches this share of the limit.
 */
export const REPORTED_SHARE = 1 / 10;
