/** What happened in the account, newest first: emails, deliveries, and each change. */
import type { UsageEvent } from '../../../core/api/api-types.generated.ts';
import { useResource } from '../../client/resource.ts';
import { screenUrl, setQuery } from '../../browser/router.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { DATE_FIELDS, DateFilter, datesInUrl } from '../../parts/lists/date-filter.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { activityText } from '../../strings/activity.ts';
import { EventDays } from './event-days.tsx';
import { EventPager, offsetInUrl } from './event-pager.tsx';
import { loadRows } from './load-rows.ts';

const FILTERS = ['event_type', 'by_people', ...DATE_FIELDS];
const TYPES = Object.entries(activityText.types);
/** A value of the choice of types that is none. */
const BY_PEOPLE = 'by_people';

export function ActivityScreen() {
  const { query: inUrl } = screenUrl.value;
  const isByPeople = inUrl.has('by_people');
  const chosen = inUrl.get('event_type') ?? '';
  const query = {
    ...(chosen !== '' && { event_type: chosen as UsageEvent['type'] }),
    ...(isByPeople && { by_people: true }),
    ...datesInUrl(),
  };
  const offset = offsetInUrl();
  const resource = useResource(`events ${offset} ${JSON.stringify(query)}`, (signal) =>
    loadRows(query, offset, signal),
  );
  return (
    <>
      <PageHead title={activityText.title} />
      <div class="filters">
        <label class="inline-label">
          {activityText.type}
          <select
            value={isByPeople ? BY_PEOPLE : chosen}
            onChange={({ currentTarget: { value } }) =>
              setQuery({
                by_people: value === BY_PEOPLE ? 'true' : undefined,
                event_type: value === BY_PEOPLE ? undefined : value,
              })
            }
          >
            <option value="">{activityText.anyType}</option>
            <option value={BY_PEOPLE}>{activityText.byPeople}</option>
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
        {(rows) =>
          rows.runs.length === 0 ? (
            <Nothing />
          ) : (
            <>
              <EventDays runs={rows.runs} />
              <EventPager {...rows} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

const Nothing = () =>
  FILTERS.some((field) => screenUrl.value.query.has(field)) ? (
    <EmptyState title={activityText.noMatchTitle} text={activityText.noMatchText} />
  ) : (
    <EmptyState title={activityText.emptyTitle} text={activityText.emptyText} />
  );
