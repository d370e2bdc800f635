/** Leads from page to page of the activity. Pages have different numbers of events: the URL has them. */
import { screenUrl, setQuery } from '../../browser/router.ts';
import { formatCount } from '../../parts/format.ts';
import { PageSteps } from '../../parts/lists/pager.tsx';
import { partsText } from '../../strings/parts.ts';
import type { Rows } from './load-rows.ts';

/** The offsets of this page and of those before it, such as `120,907`; the first page has none. */
const startsInUrl = (): number[] =>
  (screenUrl.value.query.get('page') ?? '')
    .split(',')
    .map(Number)
    .filter((offset) => Number.isInteger(offset) && offset > 0);

export const offsetInUrl = (): number => startsInUrl().at(-1) ?? 0;

const leadTo = (starts: readonly number[]) => setQuery({ page: starts.join() });

export function EventPager({ runs, offset, total, next }: Rows) {
  const starts = startsInUrl();
  const last = offset + runs.reduce((sum, { events }) => sum + events.length, 0);
  return (
    <PageSteps
      range={partsText.range(formatCount(offset + 1), formatCount(last), formatCount(total))}
      back={starts.length === 0 ? undefined : () => leadTo(starts.slice(0, -1))}
      forward={next === undefined ? undefined : () => leadTo([...starts, next])}
    />
  );
}
