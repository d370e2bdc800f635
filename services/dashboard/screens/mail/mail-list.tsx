/** Mail: every email with the state of its delivery, newest first, while it arrives. */
import { useEffect, useState } from 'preact/hooks';

import type {
  DeliveryListItem,
  ListDeliveriesResponse,
} from '../../../core/api/api-types.generated.ts';
import { useShortcut } from '../../browser/keyboard.ts';
import { useLive } from '../../session/live.ts';
import { screenUrl } from '../../browser/router.ts';
import { type Resource, useResource, useThrottled } from '../../client/resource.ts';
import { may } from '../../session/session.ts';
import { formatCount } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { datesInUrl } from '../../parts/lists/date-filter.tsx';
import { NoSuchPage, Pager, pageInUrl } from '../../parts/lists/pager.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { mailText } from '../../strings/mail/mail.ts';
import { replayText } from '../../strings/mail/replay.ts';
import { ReplayDialog } from '../replay/replay-dialog.tsx';
import { replayIsRunning } from '../replay/replay-run.ts';
import { useAddressNames } from './address-names.ts';
import { loadPage, type MailPage, type Query } from './load-page.ts';
import { isFiltered, MailFilters } from './mail-filters.tsx';
import { MailViews } from './mail-views.tsx';
import { DropPageButton } from './drop-page-button.tsx';
import { byEmail, MailRow } from './mail-row.tsx';
import { rememberList } from './shown-list.ts';
import { searchInUrl, searchProblem } from '../search/search-box.tsx';

const PAGE_SIZE = 50;
const RELOAD_EVERY_MS = 2_000;

export function MailListScreen() {
  const query = queryInUrl();
  const isSearch = Object.keys(searchInUrl()).length > 0;
  const resource = useResource(JSON.stringify(query), (signal) => loadPage(query, signal));
  useEffect(() => {
    if (resource.data) rememberList(resource.data);
  }, [resource.data]);
  const { addresses, hasMore } = useAddressNames([
    ...(query.address_id === undefined ? [] : [query.address_id]),
    ...(resource.data?.data.map(({ address_id: id }) => id) ?? []),
  ]);
  const fresh = useLiveList(resource, query);
  const [isReplaying, setIsReplaying] = useState(false);
  useShortcut('r', mailText.reload, resource.reload);
  return (
    <>
      <PageHead
        title={mailText.title}
        facts={
          searchProblem.value === undefined && resource.data && countOf(resource.data, isSearch)
        }
      >
        <MailViews shown="accepted" />
        {may('deliveries:decide') && (
          <button type="button" disabled={replayIsRunning()} onClick={() => setIsReplaying(true)}>
            <Icon name="replay" /> {query.status === 'held' ? mailText.releaseAll : replayText.open}
          </button>
        )}
      </PageHead>
      {isReplaying && <ReplayDialog addresses={addresses} close={() => setIsReplaying(false)} />}
      <MailFilters addresses={addresses} hasMoreAddresses={hasMore} />
      {searchProblem.value === undefined && (
        <Loaded resource={resource} rows={10}>
          {({ data, pagination, hasBeginnings }) =>
            data.length === 0 ? (
              <NothingFound isFirstPage={pagination.offset === 0} />
            ) : (
              <>
                {hasBeginnings && <p class="notice">{mailText.beginnings}</p>}
                <ul class="mail-list" aria-label={mailText.list}>
                  {byEmail(data).map((deliveries) => (
                    <MailRow
                      key={deliveries[0].event_id}
                      deliveries={deliveries}
                      address={addresses.find(({ id }) => id === deliveries[0].address_id)?.address}
                      isFresh={deliveries.some(({ event_id }) => fresh.has(event_id))}
                    />
                  ))}
                </ul>
                {query.status === 'held' && may('deliveries:decide') && (
                  <DropPageButton items={data} onChange={resource.reload} />
                )}
                <Pager {...pagination} isSearch={isSearch} />
              </>
            )
          }
        </Loaded>
      )}
    </>
  );
}

const countOf = ({ pagination: { total, has_more } }: ListDeliveriesResponse, isSearch: boolean) =>
  (isSearch && has_more ? mailText.countAtLeast : mailText.count)(formatCount(total));

function NothingFound({ isFirstPage }: { isFirstPage: boolean }) {
  if (!isFirstPage) return <NoSuchPage />;
  return isFiltered(screenUrl.value.query) ? (
    <EmptyState title={mailText.noMatchTitle} text={mailText.noMatchText} />
  ) : (
    <EmptyState title={mailText.emptyTitle} text={mailText.emptyText} />
  );
}

const FILTERS = ['status', 'address_id'];

function queryInUrl(): Query {
  const { query } = screenUrl.value;
  const filters = FILTERS.flatMap((name) => {
    const value = query.get(name);
    return value ? [[name, value]] : [];
  });
  return {
    ...(Object.fromEntries(filters) as Query),
    ...searchInUrl(),
    ...datesInUrl(),
    ...pageInUrl(PAGE_SIZE),
  };
}

/**
 * Applies live events to the list: a known email changes in place, a new one appears on top of the
 * first page. Filters other than the address are the API's to judge, so a filtered list reloads.
 * It does so every two seconds at most: each reload counts against the rate limit of the session.
 * @returns ids of emails that appeared while the page was open
 */
function useLiveList(
  { change, reload }: Resource<MailPage>,
  { offset, limit: _limit, address_id, ...filters }: Query,
): ReadonlySet<string> {
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  const reloadSoon = useThrottled(reload, RELOAD_EVERY_MS);
  const isJudgedByApi = Object.values(filters).some((value) => value !== undefined);
  useEffect(() => setFresh(new Set()), [offset]);
  useLive((event) => {
    if (event.type === 'stream.gap') return reload();
    const { delivery } = event;
    if (delivery === undefined) return undefined;
    if (address_id !== undefined && delivery.address_id !== address_id) return undefined;
    if (isJudgedByApi) return reloadSoon();
    if (event.type === 'email.received') setFresh((ids) => new Set([...ids, delivery.event_id]));
    return change((page) => withDelivery(page, delivery, offset === 0));
  });
  return fresh;
}

function withDelivery(page: MailPage, delivery: DeliveryListItem, isFirstPage: boolean): MailPage {
  const { data, pagination } = page;
  const isKnown = data.some(({ event_id }) => event_id === delivery.event_id);
  if (isKnown)
    return {
      ...page,
      data: data.map((item) => (item.event_id === delivery.event_id ? delivery : item)),
    };
  if (!isFirstPage) return page;
  const shown = [delivery, ...data]
    .toSorted((one, other) => other.event_id.localeCompare(one.event_id)) // ids are ordered by time
    .slice(0, pagination.limit);
  return { ...page, data: shown, pagination: { ...pagination, total: pagination.total + 1 } };
}
