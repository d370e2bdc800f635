/** A page of the activity: rows, of which one can stand for many events that repeat each other. */
import { call } from '../../client/api.ts';
import type { Calls } from '../../../core/api/api-calls.generated.ts';
import type { UsageEvent } from '../../../core/api/api-types.generated.ts';
import { firstRows, inRuns, type Run } from './event-runs.ts';

type Query = NonNullable<Calls['GET /usage/events']['query']>;
export type Rows = {
  runs: Run[];
  /** How many events there are in all. */
  total: number;
  offset: number;
  /** The offset of the next page; undefined at the end. */
  next: number | undefined;
};

const FIRST_LIMIT = 100;
/** The largest page of GET /usage/events, and the most events of a page here. */
const MOST = 1_000;

/** Asks for more events until they fill a page. */
export async function loadRows(query: Query, offset: number, signal: AbortSignal): Promise<Rows> {
  const events: UsageEvent[] = [];
  for (;;) {
    const limit = events.length === 0 ? FIRST_LIMIT : MOST - FIRST_LIMIT;
    const page = await call('GET /usage/events', {
      query: { ...query, limit, offset: offset + events.length },
      signal,
    });
    events.push(...page.data);
    const { has_more: hasMore, total } = page.pagination;
    const { runs, shown } = firstRows(inRuns(events), hasMore && events.length < MOST);
    if (runs !== undefined)
      return {
        runs,
        total,
        offset,
        next: hasMore || shown < events.length ? offset + shown : undefined,
      };
    if (page.data.length === 0) return { runs: [], total, offset, next: undefined };
  }
}
