/** What happened in the account, newest first: emails, deliveries, and each change. */
import { call } from '../../client/api.ts';
import type { UsageEvent } from '../../../core/api/api-types.generated.ts';
import { useResource } from '../../client/resource.ts';
import { place, setQuery } from '../../browser/router.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { DATE_FIELDS, DateFilter, datesInUrl } from '../../parts/lists/date-filter.tsx';
import { NoSuchPage, Pager, pageInUrl } from '../../parts/lists/pager.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { activityText } from '../../strings/activity.ts';
import { EventDays } from './event-days.tsx';

const PAGE_SIZE = 50;
const FILTERS = ['event_type', ...DATE_FIELDS];
const TYPES = Object.entries(activityText.types);

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
      <Loaded resource={resource} rows={10}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Nothing isFirstPage={pagination.offset === 0} />
          ) : (
            <>
              <EventDays events={data} />
              <Pager {...pagination} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

function Nothing({ isFirstPage }: { isFirstPage: boolean }) {
  if (!isFirstPage) return <NoSuchPage />;
  return FILTERS.some((field) => place.value.query.has(field)) ? (
    <EmptyState title={activityText.noMatchTitle} text={activityText.noMatchText} />
  ) : (
    <EmptyState title={activityText.emptyTitle} text={activityText.emptyText} />
  );
}
