/** What the overview shows, as far as the session may read it. */
import { call } from '../../app/api.ts';
import type { Address, DeliveryListItem, UsageInterval } from '../../app/api-types.golden.ts';
import { may } from '../../app/session.ts';
import { failingAddresses } from '../addresses/failing-addresses.ts';

export type Period = 'day' | 'month';
export type Overview = {
  /** Oldest first: by hour for a day, by day for a month. */
  series: readonly UsageInterval[] | undefined;
  waiting: number | undefined;
  /** The next ones. */
  due: readonly DeliveryListItem[] | undefined;
  failing: readonly Address[] | undefined;
  addressCount: number | undefined;
};

const SHOWN = 5;
const QUERIES = {
  day: { days: 1, interval: 'hour' },
  month: { days: 30, interval: 'day' },
} as const;

export async function loadOverview(period: Period, signal: AbortSignal): Promise<Overview> {
  const [series, retrying, addresses, failing] = await Promise.all([
    may('usage:read') ? call('GET /usage/daily', { query: QUERIES[period], signal }) : undefined,
    may('deliveries:read')
      ? call('GET /deliveries', { query: { status: 'retrying', limit: 100 }, signal })
      : undefined,
    may('addresses:read') ? call('GET /addresses', { query: { limit: 1 }, signal }) : undefined,
    failingAddresses(signal),
  ]);
  return {
    series: series?.data,
    waiting: retrying?.pagination.total,
    due: retrying?.data.toSorted((one, other) => timeOf(one) - timeOf(other)).slice(0, SHOWN),
    failing,
    addressCount: addresses?.pagination.total,
  };
}

const timeOf = ({ next_attempt_at }: DeliveryListItem): number =>
  next_attempt_at === null ? Infinity : new Date(next_attempt_at).getTime();
