/**
 * Chooses the emails of a bulk replay. It begins with the filters and the search of the mail list,
 * and says how many emails match before anything starts.
 */
import { useState } from 'preact/hooks';

import { call } from '../../client/api.ts';
import type {
  AddressListItem,
  ReplayDeliveriesRequest,
} from '../../../core/api/api-types.generated.ts';
import { useResource } from '../../client/resource.ts';
import { screenUrl } from '../../browser/router.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { formatCount } from '../../parts/format.ts';
import { dateType, datesOf } from '../../parts/lists/date-filter.tsx';
import { mailText } from '../../strings/mail/mail.ts';
import { partsText } from '../../strings/parts.ts';
import { replayText } from '../../strings/mail/replay.ts';
import { searchInUrl } from '../search/search-box.tsx';
import { readSearch, writeSearch } from '../search/search-syntax.ts';
import { countText } from './count-text.ts';
import { type MatchCount, startReplay } from './replay-run.ts';

type Status = NonNullable<ReplayDeliveriesRequest['status']>;
type Props = { addresses: readonly AddressListItem[]; close: () => void };

const STATUSES = Object.entries(replayText.statuses) as [Status, string][];
/** The largest page of GET /deliveries: a search that fills no page has an exact total. */
const PAGE_SIZE = 100;
/** Each count is a request, so it waits until the user pauses. */
const COUNT_AFTER_MS = 300;

export function ReplayDialog({ addresses, close }: Props) {
  const { query } = screenUrl.value;
  const inUrl = query.get('status');
  const [status, setStatus] = useState<Status>(
    STATUSES.find(([value]) => value === inUrl)?.[0] ?? 'failed',
  );
  const [addressId, setAddressId] = useState(query.get('address_id') ?? '');
  const [search, setSearch] = useState(() => writeSearch(searchInUrl()));
  const [from, setFrom] = useState(query.get('from') ?? '');
  const [until, setUntil] = useState(query.get('until') ?? '');
  const filter: ReplayDeliveriesRequest = {
    status,
    ...(addressId !== '' && { address_id: addressId }),
    ...readSearch(search).search,
    ...datesOf(from, until),
  };
  const { data: kept } = useResource('replay-window', (signal) =>
    call('GET /deliveries/replay', { signal }),
  );
  const { count, error, recount } = useCount(filter, search.trim() !== '');
  const start = (event: Event) => {
    event.preventDefault();
    if (count === undefined || count.total === 0) return;
    close();
    void startReplay({ ...filter, ...count.until }, count);
  };
  return (
    <Dialog label={replayText.title} onClose={close}>
      <form class="form" onSubmit={start}>
        <h2>{replayText.title}</h2>
        <Field label={replayText.status}>
          <select
            value={status}
            autoFocus
            onChange={({ currentTarget }) => setStatus(currentTarget.value as Status)}
          >
            {STATUSES.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </Field>
        <Field label={replayText.address}>
          <select
            value={addressId}
            onChange={({ currentTarget }) => setAddressId(currentTarget.value)}
          >
            <option value="">{replayText.anyAddress}</option>
            {addresses.map(({ id, address }) => (
              <option key={id} value={id}>
                {address}
              </option>
            ))}
          </select>
        </Field>
        <Field label={replayText.search}>
          <input
            type="text"
            maxLength={400}
            autoComplete="off"
            spellcheck={false}
            placeholder={mailText.searchPlaceholder}
            value={search}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
        </Field>
        <div class="field-row">
          <Field label={replayText.from}>
            <input
              type={dateType(from)}
              value={from}
              onInput={({ currentTarget }) => setFrom(currentTarget.value)}
            />
          </Field>
          <Field label={replayText.until}>
            <input
              type={dateType(until)}
              value={until}
              onInput={({ currentTarget }) => setUntil(currentTarget.value)}
            />
          </Field>
        </div>
        <p class="hint">{replayText.hint}</p>
        {status === 'delivered' && kept && kept.kept_hours < kept.promised_hours && (
          <p class="notice">
            {replayText.keptFor(formatCount(kept.kept_hours), formatCount(kept.promised_hours))}
          </p>
        )}
        {error ? (
          <div class="notice notice-bad" role="alert">
            <span>{error.message}</span>
            <button type="button" onClick={recount}>
              {partsText.tryAgain}
            </button>
          </div>
        ) : (
          <p role="status">{count ? replayText.matches(countText(count)) : replayText.counting}</p>
        )}
        <div class="buttons">
          <button type="submit" class="primary" disabled={!count || count.total === 0}>
            {replayText.start}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** `until`: the replay ends with the newest email that was counted. */
type Count = MatchCount & { until: Pick<ReplayDeliveriesRequest, 'end_date'> };

/** @returns no count while the filter has another than the one that was counted */
function useCount(filter: ReplayDeliveriesRequest, isSearch: boolean) {
  const key = JSON.stringify(filter);
  const { data, error, reload, isLoading } = useResource(key, async (signal) => {
    await new Promise((resolve) => setTimeout(resolve, COUNT_AFTER_MS));
    signal.throwIfAborted();
    const { data: newest, pagination } = await call('GET /deliveries', {
      query: { ...filter, limit: PAGE_SIZE },
      signal,
    });
    const count: Count = {
      total: pagination.total,
      isAtLeast: isSearch && pagination.has_more,
      until: newest[0] ? { end_date: secondAfter(newest[0].received_at) } : {},
    };
    return { key, count };
  });
  return {
    count: data?.key === key && !isLoading ? data.count : undefined,
    error: isLoading ? undefined : error,
    recount: reload,
  };
}

const secondAfter = (time: string): string =>
  `${new Date(Date.parse(time) + 1_000).toISOString().slice(0, 19)}Z`;
