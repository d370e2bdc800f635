/** The data of the overview, as far as the session may read it. */
import { call } from '../../client/api.ts';
import type {
  GetUsageSeriesResponse,
  ListDueDeliveriesResponse,
} from '../../../core/api/api-types.generated.ts';
import { may } from '../../session/session.ts';
import { type FailingAddresses, failingAddresses } from './failing-addresses.ts';

export type Period = 'day' | 'month';
export type Overview = {
  /** Oldest first: by hour for a day, by day for a month. */
  usage: GetUsageSeriesResponse | undefined;
  /** The retries that are due next, and how many wait. */
  due: ListDueDeliveriesResponse | undefined;
  failing: FailingAddresses | undefined;
  /** No email has arrived so far. */
  isNew: boolean;
};

const SHOWN = 5;
const QUERIES = {
  day: { days: 1, interval: 'hour' },
  month: { days: 30, interval: 'day' },
} as const;

export async function loadOverview(period: Period, signal: AbortSignal): Promise<Overview> {
  const [usage, due, failing] = await Promise.all([
    may('usage:read') ? call('GET /usage/daily', { query: QUERIES[period], signal }) : undefined,
    may('deliveries:read')
      ? call('GET /deliveries/due', { query: { limit: SHOWN }, signal })
      : undefined,
    may('addresses:read') ? failingAddresses(SHOWN, signal) : undefined,
  ]);
  const hasMail = (usage?.total.received ?? 0) > 0;
  return { usage, due, failing, isNew: !hasMail && (await isNew(signal)) };
}

/** An account is new while it has no email; without the permission to read mail, no address. */
async function isNew(signal: AbortSignal): Promise<boolean> {
  const query = { limit: 1 };
  if (may('deliveries:read'))
    return (await call('GET /deliveries', { query, signal })).pagination.total === 0;
  if (!may('addresses:read')) return false;
  return (await call('GET /addresses', { query, signal })).pagination.total === 0;
}
