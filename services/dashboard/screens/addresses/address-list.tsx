/** The addresses of the account, newest first. */
import { call } from '../../app/api.ts';
import type { AddressListItem, Calls } from '../../app/api-types.golden.ts';
import { useShortcut } from '../../app/keyboard.ts';
import { useLive } from '../../app/live.ts';
import { useResource } from '../../app/resource.ts';
import { go, place } from '../../app/router.ts';
import { may } from '../../app/session.ts';
import { formatCount } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pager, pageInUrl } from '../../parts/pager.tsx';
import { Segments } from '../../parts/segments.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { addressText } from '../../strings/addresses.ts';

const PAGE_SIZE = 50;
const { columns: titles } = addressText;

const COLUMNS: readonly Column<AddressListItem>[] = [
  {
    title: titles.address,
    cell: ({ id, address }) => <Link to={`/addresses/${id}`}>{address}</Link>,
  },
  { title: titles.webhook, cell: ({ webhook_url: url }) => <span class="soft">{url}</span> },
  {
    title: titles.state,
    cell: ({ is_enabled: isEnabled, is_permanent: isPermanent }) => (
      <span class="states">
        <Status
          tone={isEnabled ? 'good' : 'plain'}
          text={isEnabled ? addressText.enabled : addressText.disabled}
        />
        {!isPermanent && <Status tone="wait" text={addressText.expiring} />}
      </span>
    ),
  },
  { title: titles.emails, isNumber: true, cell: ({ email_count: n }) => formatCount(n) },
  { title: titles.created, isNumber: true, cell: ({ created_at: at }) => <Time at={at} /> },
];

export function AddressListScreen() {
  const query = queryInUrl();
  const resource = useResource(`addresses ${JSON.stringify(query)}`, (signal) =>
    call('GET /addresses', { query, signal }),
  );
  useLive(({ type }) => {
    if (type.startsWith('address.') || type === 'stream.gap') resource.reload();
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
      <Loaded resource={resource}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <NothingFound canCreate={create !== undefined} />
          ) : (
            <>
              <Table
                label={addressText.list}
                columns={COLUMNS}
                rows={data}
                keyOf={({ id }) => id}
              />
              <Pager {...pagination} />
            </>
          )
        }
      </Loaded>
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
