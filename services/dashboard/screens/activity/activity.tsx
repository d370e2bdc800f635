/** What happened in the account, newest first: emails, deliveries, and each change. */
import { call } from '../../client/api.ts';
import type { UsageEvent } from '../../../core/api/api-types.generated.ts';
import { useResource } from '../../client/resource.ts';
import { place, setQuery } from '../../browser/router.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { DATE_FIELDS, DateFilter, datesInUrl } from '../../parts/lists/date-filter.tsx';
import { PagedTable } from '../../parts/lists/paged-table.tsx';
import { pageInUrl } from '../../parts/lists/pager.tsx';
import { EmptyState } from '../../parts/states.tsx';
import type { Column } from '../../parts/lists/table.tsx';
import { Time } from '../../parts/time.tsx';
import { activityText } from '../../strings/activity.ts';
import { About, whoOf } from './about.tsx';

const PAGE_SIZE = 50;
const FILTERS = ['event_type', ...DATE_FIELDS];
const TYPES = Object.entries(activityText.types);
const { columns: titles } = activityText;

const COLUMNS: readonly Column<UsageEvent>[] = [
  { title: titles.what, cell: ({ type }) => activityText.types[type] ?? type },
  { title: titles.about, cell: (event) => <About event={event} /> },
  { title: titles.who, cell: ({ data }) => <span class="soft">{whoOf(data)}</span> },
  {
    title: titles.source,
    cell: ({ data: { source_ip: source } }) => (typeof source === 'string' ? source : ''),
  },
  {
    title: titles.time,
    isNumber: true,
    cell: ({ timestamp }) => <Time at={timestamp} as="full" />,
  },
];

export function ActivityScreen() {
  const chosen = place.value.query.get('event_type') ?? '';
  const query = {
    ...pageInUrl(PAGE_SIZE),
    ...(chosen !== '' && { event_type: chosen as UsageEvent['type'] }),
    ...datesInUrl(),
  };
  const resource = useResource(`events ${JSON.stringify(query)}`, (signal) =>
    call('GET /usage/events', { query, signal }),
  );
  return (
    <>
      <PageHead title={activityText.title} />
      <div class="filters">
        <label class="inline-label">
          {activityText.type}
          <select
            value={chosen}
            onChange={({ currentTarget }) => setQuery({ event_type: currentTarget.value })}
          >
            <option value="">{activityText.anyType}</option>
            {TYPES.map(([type, label]) => (
              <option key={type} value={type}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <DateFilter isInline />
      </div>
      <PagedTable
        resource={resource}
        loadingRows={10}
        label={activityText.list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
      >
        {FILTERS.some((field) => place.value.query.has(field)) ? (
          <EmptyState title={activityText.noMatchTitle} text={activityText.noMatchText} />
        ) : (
          <EmptyState title={activityText.emptyTitle} text={activityText.emptyText} />
        )}
      </PagedTable>
    </>
  );
}
