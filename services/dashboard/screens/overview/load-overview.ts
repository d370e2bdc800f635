/** The data of the overview, as far as the session may read it. */
import { call } from '../../client/api.ts';
import type {
  GetUsageSeriesResponse,
  ListDeliveriesResponse,
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
  /** The newest emails, and the newest whose delivery failed. */
  recent: ListDeliveriesResponse | undefined;
  failed: ListDeliveriesResponse | undefined;
  /** No email has arrived so far. */
  isNew: boolean;
};

const SHOWN = 5;
const QUERIES = {
  day: { days: 1, interval: 'hour' },
  month: { days: 30, interval: 'day' },
} as const;

export async function loadOverview(period: Period, signal: AbortSignal): Promise<Overview> {
  const mayReadMail = may('deliveries:read');
  const query = { limit: SHOWN };
  const [usage, due, failing, recent, failed] = await Promise.all([
    may('usage:read') ? call('GET /usage/daily', { query: QUERIES[period], signal }) : undefined,
    mayReadMail ? call('GET /deliveries/due', { query, signal }) : undefined,
    may('addresses:read') ? failingAddresses(SHOWN, signal) : undefined,
    mayReadMail ? call('GET /deliveries', { query, signal }) : undefined,
    mayReadMail
      ? call('GET /deliveries', { query: { ...query, status: 'failed' }, signal })
      : undefined,
  ]);
  const hasMail = (usage?.total.received ?? 0) > 0;
  const hasNone = recent === undefined ? undefined : recent.pagination.total === 0;
  const isNew = !hasMail && (hasNone ?? (await hasNoAddress(signal)));
  return { usage, due, failing, recent, failed, isNew };
}

/** Without the permission to read mail, an account is new while it has no address. */
async function hasNoAddress(signal: AbortSignal): Promise<boolean> {
  if (!may('addresses:read')) return false;
  return (await call('GET /addresses', { query: { limit: 1 }, signal })).pagination.total === 0;
}
