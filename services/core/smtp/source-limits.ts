/** What one source, an IPv4 address or an IPv6 /64, may do at the SMTP port. Every refusal is temporary: an honest sender keeps its mail and comes again. */
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

/** What is counted over time. */
export const RATES = [
  'connections_per_minute',
  'messages_per_minute',
  'unknown_per_minute',
  'unknown_per_hour',
] as const;
export type Rate = (typeof RATES)[number];

/** What is limited, in the order in which gateways tell each other their counts. */
export const MEASURES = ['open_connections', ...RATES] as const;
export type Measure = (typeof MEASURES)[number];

/** Most of each that one source may have; 0 for no limit. */
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

/** The reply that refuses one more, `undefined` when it is within the limits. `count` tells how many there are already, over all gateways. */
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

/** How much of a limit this is; of an absent one, nothing. */
export const shareOf = (measure: Measure, limits: SourceLimits, count: number): number =>
  limits[measure] > 0 ? count / limits[measure] : 0;

/** From this share of any limit on, a gateway tells the others of a source. */
export const REPORTED_SHARE = 1 / 10;
