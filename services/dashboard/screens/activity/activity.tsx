/** What happened in the account, newest first: emails, deliveries, and each change. */
import type { UsageEvent } from '../../../core/api/api-types.generated.ts';
import { call } from '../../client/api.ts';
import { useResource } from '../../client/resource.ts';
import { screenUrl, setQuery } from '../../browser/router.ts';
import { may } from '../../session/session.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { DATE_FIELDS, DateFilter, datesInUrl } from '../../parts/lists/date-filter.tsx';
import { Segments } from '../../parts/segments.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { activityText } from '../../strings/activity.ts';
import { useAddressNames } from '../mail/address-names.ts';
import type { Names } from './actor-text.ts';
import { EventDays } from './event-days.tsx';
import { EventPager, offsetInUrl } from './event-pager.tsx';
import type { Run } from './event-runs.ts';
import { loadRows } from './load-rows.ts';

const FILTERS = ['event_type', 'by_people', ...DATE_FIELDS];
const TYPES = Object.entries(activityText.types);

export function ActivityScreen() {
  const { query: inUrl } = screenUrl.value;
  const chosen = inUrl.get('event_type') ?? '';
  const query = {
    ...(chosen !== '' && { event_type: chosen as UsageEvent['type'] }),
    ...(inUrl.has('by_people') && { by_people: true }),
    ...datesInUrl(),
  };
  const offset = offsetInUrl();
  const resource = useResource(`events ${offset} ${JSON.stringify(query)}`, (signal) =>
    loadRows(query, offset, signal),
  );
  const names = useNames(resource.data?.runs ?? []);
  return (
    <>
      <PageHead title={activityText.title} />
      <div class="filters">
        <Segments
          label={activityText.by}
          field="by_people"
          choices={[
            ['', activityText.anybody],
            ['true', activityText.byPeople],
          ]}
        />
        <label class="inline-label">
          {activityText.type}
          <select
            value={chosen}
            onChange={({ currentTarget: { value } }) => setQuery({ event_type: value })}
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
        {(rows) =>
          rows.runs.length === 0 ? (
            <Nothing />
          ) : (
            <>
              <EventDays runs={rows.runs} names={names} />
              <EventPager {...rows} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

function useNames(runs: readonly Run[]): Names {
  const ids = runs.flatMap(({ events }) => events.map(({ address_id }) => address_id));
  const { addresses } = useAddressNames(ids.filter((id) => id !== ''));
  const { data: tokens } = useResource('names of tokens', async (signal) =>
    may('tokens:read') ? (await call('GET /account/tokens', { signal })).data : [],
  );
  return new Map([
    ...addresses.map(({ id, address }) => [id, address] as const),
    ...(tokens ?? []).map(({ id, name }) => [id, name] as const),
  ]);
}

const Nothing = () =>
  FILTERS.some((field) => screenUrl.value.query.has(field)) ? (
    <EmptyState title={activityText.noMatchTitle} text={activityText.noMatchText} />
  ) : (
    <EmptyState title={activityText.emptyTitle} text={activityText.emptyText} />
  );
