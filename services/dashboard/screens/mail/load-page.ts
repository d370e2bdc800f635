/** One page of the mail list. When no email has the searched words, those that begin with them. */
import { call } from '../../client/api.ts';
import type { Calls } from '../../../core/api/api-calls.generated.ts';
import type { ListDeliveriesResponse } from '../../../core/api/api-types.generated.ts';
import { withBeginnings } from '../search/search-syntax.ts';

export type Query = NonNullable<Calls['GET /deliveries']['query']>;
export type MailPage = ListDeliveriesResponse & {
  /** What was asked for in the end. */
  query: Query;
  hasBeginnings: boolean;
};

export async function loadPage(query: Query, signal: AbortSignal): Promise<MailPage> {
  const page = await call('GET /deliveries', { query, signal });
  const wider = page.data.length === 0 && !query.offset ? withBeginnings(query) : undefined;
  if (wider === undefined) return { ...page, query, hasBeginnings: false };
  const found = await call('GET /deliveries', { query: wider, signal });
  return { ...found, query: wider, hasBeginnings: found.data.length > 0 };
}
