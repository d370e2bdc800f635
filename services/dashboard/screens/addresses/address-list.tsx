/** The addresses of the account, newest first. */
import { call } from '../../app/api.ts';
import type { Address, AddressListItem, Calls } from '../../app/api-types.golden.ts';
import { useShortcut } from '../../app/keyboard.ts';
import { useLive } from '../../app/live.ts';
import { useResource } from '../../app/resource.ts';
import { go, place } from '../../app/router.ts';
import { may } from '../../app/session.ts';
import { formatCount } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PagedTable } from '../../parts/lists/paged-table.tsx';
import { pageInUrl } from '../../parts/lists/pager.tsx';
import { Segments } from '../../parts/segments.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import type { Column } from '../../parts/lists/table.tsx';
import { Time } from '../../parts/time.tsx';
import { addressText } from '../../strings/addresses.ts';
import { failingAddresses } from './failing-addresses.ts';

const PAGE_SIZE = 50;
const { columns: titles } = addressText;

const columnsWith = (failing: readonly Address[]): readonly Column<AddressListItem>[] => [
  {
    title: titles.address,
    cell: ({ id, address }) => <Link to={`/addresses/${id}`}>{address}</Link>,
  },
  { title: titles.webhook, cell: ({ webhook_url: url }) => <span class="soft">{url}</span> },
  {
    title: titles.state,
    cell: ({ id, is_enabled: isEnabled, is_permanent: isPermanent }) => (
      <span class="states">
        <Status
          tone={isEnabled ? 'good' : 'plain'}
          text={isEnabled ? addressText.enabled : addressText.disabled}
        />
        {!isPermanent && <Status tone="wait" text={addressText.expiring} />}
        <Failing address={failing.find((one) => one.id === id)} />
      </span>
    ),
  },
  { title: titles.emails, isNumber: true, cell: ({ email_count: n }) => formatCount(n) },
  { title: titles.created, isNumber: true, cell: ({ created_at: at }) => <Time at={at} /> },
];

const Failing = ({ address }: { address: Address | undefined }) =>
  address && (
    <span>
      <Status tone="bad" text={addressText.failing} />
      {address.failing_since !== null && (
        <span class="hint">
          {' '}
          {addressText.since} <Time at={address.failing_since} />
        </span>
      )}
    </span>
  );

export function AddressListScreen() {
  const query = queryInUrl();
  const resource = useResource(`addresses ${JSON.stringify(query)}`, (signal) =>
    call('GET /addresses', { query, signal }),
  );
  const failing = useResource('failing addresses', failingAddresses);
  useLive(({ type }) => {
    if (!type.startsWith('address.') && type !== 'stream.gap') return;
    resource.reload();
    failing.reload();
  });
  const create = may('addresses:write') ? () => go('/addresses/new') : undefined;
  useShortcut('c', addressText.create, create);
  return (
    <>
      <PageHead title={addressText.title}>{create && <CreateButton isPrimary />}</PageHead>
      <div class="filters">
        <Segments
          label={addressText.stateFilter}
          field="is_enabled"
          choices={[
            ['', addressText.all],
            ['true', addressText.enabled],
            ['false', addressText.disabled],
          ]}
        />
        <Segments
          label={addressText.kindFilter}
          field="is_permanent"
          choices={[
            ['', addressText.all],
            ['true', addressText.permanent],
            ['false', addressText.expiring],
          ]}
        />
      </div>
      <PagedTable
        resource={resource}
        label={addressText.list}
        columns={columnsWith(failing.data ?? [])}
        keyOf={({ id }) => id}
      >
        <NothingFound canCreate={create !== undefined} />
      </PagedTable>
    </>
  );
}

const CreateButton = ({ isPrimary = false }: { isPrimary?: boolean }) => (
  <Link to="/addresses/new" class={isPrimary ? 'button primary' : 'button'}>
    <Icon name="plus" /> {addressText.create}
  </Link>
);

const NothingFound = ({ canCreate }: { canCreate: boolean }) =>
  place.value.query.has('is_enabled') || place.value.query.has('is_permanent') ? (
    <EmptyState title={addressText.noMatchTitle} text={addressText.noMatchText} />
  ) : (
    <EmptyState title={addressText.emptyTitle} text={addressText.emptyText}>
      {canCreate && <CreateButton />}
    </EmptyState>
  );

function queryInUrl(): NonNullable<Calls['GET /addresses']['query']> {
  const { query } = place.value;
  const isTrue = (name: string) => {
    const value = query.get(name);
    return value === null ? undefined : value === 'true';
  };
  return {
    is_enabled: isTrue('is_enabled'),
    is_permanent: isTrue('is_permanent'),
    ...pageInUrl(PAGE_SIZE),
  };
}
