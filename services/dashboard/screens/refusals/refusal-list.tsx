/** Refused email: who wrote to which mailbox, and why it was refused. */
import { call } from '../../client/api.ts';
import type { Refusal } from '../../../core/api/api-types.generated.ts';
import { screenUrl, setQuery } from '../../browser/router.ts';
import { useResource } from '../../client/resource.ts';
import { formatCount } from '../../parts/format.ts';
import { Link } from '../../parts/link.tsx';
import { DateFilter, datesInUrl } from '../../parts/lists/date-filter.tsx';
import { PagedTable } from '../../parts/lists/paged-table.tsx';
import { pageInUrl } from '../../parts/lists/pager.tsx';
import type { Column } from '../../parts/lists/table.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { plain } from '../../parts/plain-text.ts';
import { Segments } from '../../parts/segments.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { refusalText } from '../../strings/refusals.ts';
import { MailViews } from '../mail/mail-views.tsx';

const PAGE_SIZE = 50;
const FILTERS = ['address_id', 'domain', 'sender', 'recipient', 'reason'];

const { columns: titles } = refusalText;

const COLUMNS: readonly Column<Refusal>[] = [
  {
    title: titles.mailbox,
    cell: ({ id, mailbox }) => (
      <Link to={`/mail/refused/${id}`}>
        <span dir="auto">{plain(mailbox)}</span>
      </Link>
    ),
  },
  { title: titles.sender, cell: (refusal) => <span dir="auto">{senderOf(refusal)}</span> },
  { title: titles.reason, cell: ({ reason }) => refusalText.reasonOf(reason) },
  { title: titles.count, isNumber: true, cell: ({ count }) => formatCount(count) },
  { title: titles.last, isNumber: true, cell: ({ last_at: at }) => <Time at={at} /> },
];

export const senderOf = ({ from, mail_from }: Pick<Refusal, 'from' | 'mail_from'>): string =>
  plain(from ?? (mail_from || refusalText.noSender));

export function RefusalListScreen() {
  const query = { ...filtersInUrl(), ...datesInUrl(), ...pageInUrl(PAGE_SIZE) };
  const resource = useResource(JSON.stringify(query), (signal) =>
    call('GET /refusals', { query, signal }),
  );
  const isFiltered = Object.keys(query).length > 2; // limit and offset
  return (
    <>
      <PageHead title={refusalText.title} facts={refusalText.hint}>
        <MailViews shown="refused" />
      </PageHead>
      <Filters />
      <PagedTable
        resource={resource}
        label={refusalText.list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
      >
        {isFiltered ? (
          <EmptyState title={refusalText.noMatchTitle} text={refusalText.noMatchText} />
        ) : (
          <EmptyState title={refusalText.emptyTitle} text={refusalText.emptyText} />
        )}
      </PagedTable>
    </>
  );
}

function filtersInUrl(): Record<string, string> {
  const { query } = screenUrl.value;
  const named = FILTERS.map((name) => [name, query.get(name) ?? ''] as const);
  return Object.fromEntries(named.filter(([, value]) => value !== ''));
}

function Filters() {
  const [sender, setSender] = useDraft(screenUrl.value.query.get('sender') ?? '');
  return (
    <div class="filters" role="search">
      <label class="inline-label">
        {refusalText.sender}
        <input
          type="search"
          autoComplete="off"
          spellcheck={false}
          maxLength={200}
          placeholder={refusalText.senderPlaceholder}
          value={sender}
          onInput={({ currentTarget }) => setSender(currentTarget.value)}
          onChange={({ currentTarget }) => setQuery({ sender: currentTarget.value.trim() })}
        />
      </label>
      <Segments
        label={refusalText.reasonFilter}
        field="reason"
        choices={[
          ['', refusalText.allReasons],
          ...refusalText.filterReasons.map(
            (reason) => [reason, refusalText.reasonOf(reason)] as const,
          ),
        ]}
      />
      <DateFilter isInline />
    </div>
  );
}
