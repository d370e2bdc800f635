/** The addresses of the account, newest first. */
import { useState } from 'preact/hooks';

import { allPages } from '../../client/all-pages.ts';
import { call } from '../../client/api.ts';
import type { Calls } from '../../../core/api/api-calls.generated.ts';
import type { AddressListItem } from '../../../core/api/api-types.generated.ts';
import { useLive } from '../../session/live.ts';
import { useResource, useThrottled } from '../../client/resource.ts';
import { screenUrl, setQuery } from '../../browser/router.ts';
import { may } from '../../session/session.ts';
import { formatCount } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { CreateButton, CreateDialog } from '../../parts/lists/create-button.tsx';
import { PagedTable } from '../../parts/lists/paged-table.tsx';
import { pageInUrl } from '../../parts/lists/pager.tsx';
import { plain } from '../../parts/plain-text.ts';
import { Segments } from '../../parts/segments.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import type { Column } from '../../parts/lists/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { addressText } from '../../strings/addresses.ts';
import { AddressCreate } from './address-create.tsx';
import { NewestEmail, type NewestEmails, newestEmails } from './newest-email.tsx';

const PAGE_SIZE = 50;
const RELOAD_EVERY_MS = 5_000;
const FILTERS = ['is_enabled', 'is_permanent', 'is_failing', 'has_failed'] as const;

/** Ids of addresses whose last attempt failed, and of those among them that are failing. */
type Failures = { failed: ReadonlySet<string>; failing: ReadonlySet<string> };
const NONE: Failures = { failed: new Set(), failing: new Set() };

const { columns: titles } = addressText;

const columnsWith = (
  { failed, failing }: Failures,
  newest: NewestEmails | undefined,
): readonly Column<AddressListItem>[] => [
  {
    title: titles.address,
    cell: ({ id, address, description }) => (
      <>
        <Link to={`/addresses/${id}`}>{address}</Link>
        {description && (
          <span class="description" dir="auto">
            {plain(description)}
          </span>
        )}
      </>
    ),
  },
  {
    title: titles.webhook,
    isMinor: true,
    cell: ({ webhook_url: url, mode }) => (
      <span class="soft one-line" title={url ?? undefined}>
        {url ?? (mode === 'pull' ? addressText.listsPull : addressText.listsNoUrl)}
      </span>
    ),
  },
  {
    title: titles.state,
    cell: ({ id, is_enabled: isEnabled, is_permanent: isPermanent }) => (
      <span class="states">
        {!isEnabled ? (
          <Status tone="plain" text={addressText.disabled} />
        ) : failing.has(id) ? (
          <Status tone="bad" text={addressText.failing} />
        ) : failed.has(id) ? (
          <Status tone="wait" text={addressText.hasFailed} />
        ) : (
          <Status tone="good" text={addressText.enabled} />
        )}
        {!isPermanent && <Status tone="wait" text={addressText.expiring} />}
      </span>
    ),
  },
  ...(newest
    ? [
        {
          title: titles.newest,
          cell: ({ id }: AddressListItem) => <NewestEmail email={newest.get(id)} />,
        },
      ]
    : []),
  {
    title: titles.emails,
    isNumber: true,
    isMinor: true,
    cell: ({ email_count: n }) => formatCount(n),
  },
  {
    title: titles.created,
    isNumber: true,
    isMinor: true,
    cell: ({ created_at: at }) => <Time at={at} as="day" />,
  },
];

export function AddressListScreen() {
  const query = queryInUrl();
  const resource = useResource(`addresses ${JSON.stringify(query)}`, (signal) =>
    readPage(query, signal),
  );
  // a page takes several requests, and each counts against the rate limit of the session
  const reloadSoon = useThrottled(resource.reload, RELOAD_EVERY_MS);
  useLive(({ type }) => {
    if (/^(address|webhook|email)\./.test(type) || type === 'stream.gap') reloadSoon();
  });
  const mayCreate = may('addresses:write');
  return (
    <>
      <PageHead title={addressText.title}>
        {mayCreate && <CreateButton label={addressText.create} />}
      </PageHead>
      {mayCreate && (
        <CreateDialog label={addressText.create}>
          <AddressCreate />
        </CreateDialog>
      )}
      <div class="filters">
        <AddressSearch />
        <Segments
          label={addressText.stateFilter}
          field="is_enabled"
          choices={[
            ['', addressText.all],
            ['true', addressText.enabled],
            ['false', addressText.disabled],
          ]}
        />
        <MoreFilters />
      </div>
      <PagedTable
        resource={resource}
        label={addressText.list}
        columns={columnsWith(resource.data?.failures ?? NONE, resource.data?.newest)}
        keyOf={({ id }) => id}
      >
        <NothingFound />
      </PagedTable>
    </>
  );
}

const MORE_FILTERS = ['is_permanent', 'is_failing', 'has_failed'];

function MoreFilters() {
  const { query } = screenUrl.value;
  const [isOpen, setIsOpen] = useState(MORE_FILTERS.some((name) => query.has(name)));
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls="more-filters"
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name="filter" /> {addressText.moreFilters}
      </button>
      <div id="more-filters" class="filter-row" hidden={!isOpen}>
        <Segments
          label={addressText.kindFilter}
          field="is_permanent"
          choices={[
            ['', addressText.anyKind],
            ['true', addressText.permanent],
            ['false', addressText.expiring],
          ]}
        />
        <Segments
          label={addressText.receiverFilter}
          field="is_failing"
          choices={[
            ['', addressText.anyReceiver],
            ['true', addressText.failing],
            ['false', addressText.notFailing],
          ]}
        />
        <Segments
          label={addressText.attemptFilter}
          field="has_failed"
          choices={[
            ['', addressText.anyAttempt],
            ['true', addressText.hasFailed],
          ]}
        />
      </div>
    </>
  );
}

function AddressSearch() {
  const [text, setText] = useDraft(screenUrl.value.query.get('search') ?? '');
  return (
    <form
      class="search-box"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        setQuery({ search: text.trim() });
      }}
    >
      <input
        type="search"
        aria-label={addressText.search}
        placeholder={addressText.searchPlaceholder}
        maxLength={100}
        autoComplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button type="submit">{addressText.searchButton}</button>
    </form>
  );
}

const NothingFound = () =>
  ['search', ...FILTERS].some((field) => screenUrl.value.query.has(field)) ? (
    <EmptyState title={addressText.noMatchTitle} text={addressText.noMatchText} />
  ) : (
    <EmptyState title={addressText.emptyTitle} text={addressText.emptyText} />
  );

type Query = NonNullable<Calls['GET /addresses']['query']>;

/** Rows with all that they show, so that none grows later. What cannot be read of them is left out. */
async function readPage(query: Query, signal: AbortSignal) {
  const [list, failures] = await Promise.all([
    call('GET /addresses', { query, signal }),
    readFailures(signal).catch(() => NONE),
  ]);
  const ids = list.data.map(({ id }) => id);
  const newest = await newestEmails(ids, signal).catch(() => undefined);
  return { ...list, failures, newest };
}

function queryInUrl(): Query {
  const { query } = screenUrl.value;
  const filters = FILTERS.flatMap((field) => {
    const value = query.get(field);
    return value === null ? [] : [[field, value === 'true']];
  });
  const search = query.get('search');
  return {
    ...Object.fromEntries(filters),
    ...(search && { search }),
    include: 'description',
    ...pageInUrl(PAGE_SIZE),
  };
}

/** Items of GET /addresses do not say whether they fail (spec 2.1). */
async function readFailures(signal: AbortSignal): Promise<Failures> {
  const idsOf = async (filter: { is_failing: true } | { has_failed: true }) => {
    const found = await allPages((page) =>
      call('GET /addresses', { query: { ...filter, ...page }, signal }),
    );
    return new Set(found.map(({ id }) => id));
  };
  const failed = await idsOf({ has_failed: true });
  return { failed, failing: failed.size === 0 ? failed : await idsOf({ is_failing: true }) };
}
