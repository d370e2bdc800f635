/** The data of the overview, as far as the session may read it. */
import { call } from '../../client/api.ts';
import type {
  GetUsageSeriesResponse,
  ListDeliveriesResponse,
  ListDueDeliveriesResponse,
  Quota,
} from '../../../core/api/api-types.generated.ts';
import { datesOf } from '../../parts/lists/date-filter.tsx';
import { may } from '../../session/session.ts';
import { type FailingAddresses, failingAddresses } from './failing-addresses.ts';

export type Period = 'day' | 'month';
type Overview = {
  /** Oldest first: by hour for a day, by day for a month. */
  usage: GetUsageSeriesResponse | undefined;
  /** The limit of the plan; null: there is none. */
  quota: Quota | null | undefined;
  /** The retries that are due next, and how many wait. */
  due: ListDueDeliveriesResponse | undefined;
  /** By status, as many as the lists have that they lead to. */
  counts: Counts | undefined;
  /** Emails that were refused, each for one mailbox. */
  refused: number | undefined;
  failing: FailingAddresses | undefined;
  /** The newest emails, and the newest whose delivery failed. */
  recent: ListDeliveriesResponse | undefined;
  failed: ListDeliveriesResponse | undefined;
  /** No email has arrived so far. */
  isNew: boolean;
};

/** '' for all deliveries. */
export const COUNTED = ['', 'delivered', 'waiting', 'held', 'dropped', 'failed'] as const;
export type Counts = {
  /** The beginning of the period, as the list's filter has it. */
  from: string;
  numbers: Record<(typeof COUNTED)[number], number>;
};

const SHOWN = 5;
const QUERIES = {
  day: { days: 1, interval: 'hour' },
  month: { days: 30, interval: 'day' },
} as const;

export async function loadOverview(period: Period, signal: AbortSignal): Promise<Overview> {
  const mayReadMail = may('deliveries:read');
  const query = { limit: SHOWN };
  const [usage, month, due, failing, recent, failed] = await Promise.all([
    may('usage:read') ? call('GET /usage/daily', { query: QUERIES[period], signal }) : undefined,
    may('usage:read') ? call('GET /usage', { signal }) : undefined,
    mayReadMail ? call('GET /deliveries/due', { query, signal }) : undefined,
    may('addresses:read') ? failingAddresses(SHOWN, signal) : undefined,
    mayReadMail ? call('GET /deliveries', { query, signal }) : undefined,
    mayReadMail
      ? call('GET /deliveries', { query: { ...query, status: 'failed' }, signal })
      : undefined,
  ]);
  const counts = mayReadMail ? await countsSince(usage, period, signal) : undefined;
  const hasMail = (usage?.total.received ?? 0) > 0;
  const hasNone = recent === undefined ? undefined : recent.pagination.total === 0;
  const isNew = !hasMail && (hasNone ?? (await hasNoAddress(signal)));
  const quota = month?.quota;
  const refused = counts && (await refusedSince(counts.from, signal));
  return { usage, quota, counts, refused, due, failing, recent, failed, isNew };
}

/** The totals of the lists themselves: those count deliveries, of which an email can have several. */
async function countsSince(
  usage: GetUsageSeriesResponse | undefined,
  period: Period,
  signal: AbortSignal,
): Promise<Counts> {
  const hours = period === 'day' ? 24 : 24 * 30;
  const start = usage?.data[0]?.start ?? new Date(Date.now() - hours * 3_600_000).toISOString();
  const from = dateOf(start, period);
  const totals = COUNTED.map(async (status) => {
    const query = { limit: 1, ...datesOf(from, ''), ...(status && { status }) };
    return [status, (await call('GET /deliveries', { query, signal })).pagination.total] as const;
  });
  return { from, numbers: Object.fromEntries(await Promise.all(totals)) as Counts['numbers'] };
}

async function refusedSince(from: string, signal: AbortSignal): Promise<number> {
  return (await call('GET /refusals/count', { query: datesOf(from, ''), signal })).count;
}

const two = (part: number) => String(part).padStart(2, '0');

/** In the viewer's zone, as the dates of the mail list are: the hour for a day, the day for a month. */
function dateOf(start: string, period: Period): string {
  const date = new Date(start);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return period === 'month' ? day : `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Without the permission to read mail, an account is new while it has no address. */
async function hasNoAddress(signal: AbortSignal): Promise<boolean> {
  if (!may('addresses:read')) return false;
  return (await call('GET /addresses', { query: { limit: 1 }, signal })).pagination.total === 0;
}
