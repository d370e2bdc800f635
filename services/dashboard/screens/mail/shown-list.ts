/** The list of emails that was shown last: an email opened from it has a next and a previous one. */
import { signal } from '@preact/signals';

import { call } from '../../client/api.ts';
import { changeLeft, hrefOf, screenUrl, urlLeft, replaceBy } from '../../browser/router.ts';
import { changeRow } from '../../browser/views.ts';
import type { MailPage, Query } from './load-page.ts';

type ShownList = { query: Query; ids: readonly string[]; hasMore: boolean };

const PATH = '/mail';
const shown = signal<ShownList | undefined>(undefined);

type Page = Pick<MailPage, 'query' | 'data' | 'pagination'>;

export function rememberList({ query, data, pagination }: Page): void {
  const ids = data.map(({ event_id }) => event_id);
  shown.value = { query, ids, hasMore: pagination.has_more };
}

type Neighbors = { previous: (() => void) | undefined; next: (() => void) | undefined };

/** Undefined when the email was not opened from a list. */
export function neighborsOf(eventId: string): Neighbors | undefined {
  const list = shown.value;
  const at = list?.ids.indexOf(eventId) ?? -1;
  if (list === undefined || at === -1) return undefined;
  const { ids, hasMore, query } = list;
  const isFirstPage = (query.offset ?? 0) === 0;
  return {
    previous: leadTo(ids[at - 1]) ?? (isFirstPage ? undefined : () => void turn(list, -1)),
    next: leadTo(ids[at + 1]) ?? (hasMore ? () => void turn(list, 1) : undefined),
  };
}

const leadTo = (id: string | undefined) => (id === undefined ? undefined : () => open(id));

/** The way back leads to the row of this email. */
function open(eventId: string): void {
  const to = `${PATH}/${eventId}`;
  const { view } = Object.fromEntries(screenUrl.value.query);
  changeRow(urlLeft(PATH), hrefOf(to));
  replaceBy(view === undefined ? to : `${to}?view=${view}`);
}

/** The first email of the next page, or the last one of the page before. */
async function turn({ query, ids }: ShownList, step: 1 | -1): Promise<void> {
  const { limit = 0, offset: before = 0 } = query;
  const turned = { ...query, offset: Math.max(0, before + step * limit) };
  const page = await call('GET /deliveries', { query: turned });
  const found = page.data.map(({ event_id }) => event_id).filter((id) => !ids.includes(id));
  const id = step === 1 ? found[0] : found.at(-1); // emails that arrived meanwhile move the pages
  if (id === undefined) return;
  rememberList({ query: turned, ...page });
  const left = new URLSearchParams(urlLeft(PATH).slice(PATH.length));
  left.delete('page');
  if (turned.offset > 0) left.set('page', String(turned.offset / limit + 1));
  changeLeft(PATH, left);
  open(id);
}
