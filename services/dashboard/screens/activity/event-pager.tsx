/** Leads from page to page of the activity. Pages have different numbers of events: the URL has them. */
import { useShortcut } from '../../browser/keyboard.ts';
import { place, setQuery } from '../../browser/router.ts';
import { formatCount } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { partsText } from '../../strings/parts.ts';
import type { Rows } from './load-rows.ts';

/** The offsets of this page and of those before it, such as `120,907`; the first page has none. */
const startsInUrl = (): number[] =>
  (place.value.query.get('page') ?? '')
    .split(',')
    .map(Number)
    .filter((offset) => Number.isInteger(offset) && offset > 0);

export const offsetInUrl = (): number => startsInUrl().at(-1) ?? 0;

const leadTo = (starts: readonly number[]) => setQuery({ page: starts.join() });

export function EventPager({ runs, offset, total, next }: Rows) {
  const starts = startsInUrl();
  const forward = next === undefined ? undefined : () => leadTo([...starts, next]);
  const back = starts.length === 0 ? undefined : () => leadTo(starts.slice(0, -1));
  useShortcut('n', partsText.nextPage, forward);
  useShortcut('p', partsText.previousPage, back);
  const last = offset + runs.reduce((sum, { events }) => sum + events.length, 0);
  return (
    <nav class="pager" aria-label={partsText.pages}>
      <span>{partsText.range(formatCount(offset + 1), formatCount(last), formatCount(total))}</span>
      <button
        type="button"
        class="quiet"
        aria-label={partsText.previousPage}
        disabled={!back}
        onClick={back}
      >
        <Icon name="back" />
      </button>
      <button
        type="button"
        class="quiet"
        aria-label={partsText.nextPage}
        disabled={!forward}
        onClick={forward}
      >
        <Icon name="forward" />
      </button>
    </nav>
  );
}
