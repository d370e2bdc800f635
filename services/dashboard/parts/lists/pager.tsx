/** Leads from page to page of a list. The page is in the URL. */
import { useShortcut } from '../../browser/keyboard.ts';
import type { Pagination } from '../../../core/api/api-types.generated.ts';
import { screenUrl, setQuery } from '../../browser/router.ts';
import { partsText } from '../../strings/parts.ts';
import { formatCount } from '../format.ts';
import { Icon } from '../icon.tsx';
import { EmptyState } from '../states.tsx';

/** The query fields of the page that the URL names. */
export function pageInUrl(limit: number): { limit: number; offset: number } {
  const page = Number(screenUrl.value.query.get('page') ?? '1');
  return { limit, offset: Number.isInteger(page) && page > 1 ? (page - 1) * limit : 0 };
}

const leadTo = (page: number) => setQuery({ page: page > 1 ? String(page) : undefined });

/** The page that the URL names is behind the end of the list. */
export const NoSuchPage = () => (
  <EmptyState title={partsText.noPageTitle} text={partsText.noPageText}>
    <button type="button" onClick={() => leadTo(1)}>
      {partsText.firstPage}
    </button>
  </EmptyState>
);

type Props = Pagination & {
  /** The total of a search can be too low while there are more pages. */
  isSearch?: boolean;
};

type StepsProps = {
  /** Which rows of how many. */
  range: string;
  /** Undefined on the first page. */
  back: (() => void) | undefined;
  /** Undefined on the last page. */
  forward: (() => void) | undefined;
};

/** The range of a page, and the ways to its neighbours. */
export function PageSteps({ range, back, forward }: StepsProps) {
  useShortcut('n', partsText.nextPage, forward);
  useShortcut('p', partsText.previousPage, back);
  return (
    <nav class="pager" aria-label={partsText.pages}>
      <span>{range}</span>
      <Step icon="back" label={partsText.previousPage} press={back} />
      <Step icon="forward" label={partsText.nextPage} press={forward} />
    </nav>
  );
}

type StepProps = { icon: 'back' | 'forward'; label: string; press: (() => void) | undefined };

const Step = ({ icon, label, press }: StepProps) => (
  <button type="button" class="quiet" aria-label={label} disabled={!press} onClick={press}>
    <Icon name={icon} />
  </button>
);

export function Pager({ limit, offset, total, has_more: hasMore, isSearch = false }: Props) {
  const page = Math.floor(offset / limit) + 1;
  if (total === 0) return null;
  const last = Math.min(offset + limit, total);
  const count = formatCount(total);
  const inAll = isSearch && hasMore ? partsText.atLeast(count) : count;
  return (
    <PageSteps
      range={partsText.range(formatCount(offset + 1), formatCount(last), inAll)}
      back={page > 1 ? () => leadTo(page - 1) : undefined}
      forward={hasMore ? () => leadTo(page + 1) : undefined}
    />
  );
}
