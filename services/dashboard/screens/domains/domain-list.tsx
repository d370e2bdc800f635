/** The account's own domains, and the form that adds one. */
import { call } from '../../client/api.ts';
import type { Domain } from '../../../core/api/api-types.generated.ts';
import { useResource } from '../../client/resource.ts';
import { go, screenUrl } from '../../browser/router.ts';
import { may } from '../../session/session.ts';
import { textField } from '../../parts/forms/form-table.tsx';
import { TableForm } from '../../parts/forms/table-form.tsx';
import { Link } from '../../parts/link.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { CreateButton, CreateDialog } from '../../parts/lists/create-button.tsx';
import { PagedTable } from '../../parts/lists/paged-table.tsx';
import { pageInUrl } from '../../parts/lists/pager.tsx';
import { Segments } from '../../parts/segments.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { Status, type Tone } from '../../parts/status.tsx';
import { type Column, timeColumn } from '../../parts/lists/table.tsx';
import { Time } from '../../parts/time.tsx';
import { domainText } from '../../strings/domains.ts';

const PAGE_SIZE = 50;
const STATUSES = ['verified', 'pending', 'failed'] as const satisfies Domain['status'][];
const { columns: titles } = domainText;

export const DOMAIN_TONE: Record<Domain['status'], Tone> = {
  verified: 'good',
  pending: 'wait',
  failed: 'bad',
};

const NEW = {
  domain: textField(
    'domain',
    { label: domainText.name, hint: domainText.nameHint },
    {
      required: true,
      autoFocus: true,
      autoComplete: 'off',
      spellcheck: false,
      placeholder: domainText.namePlaceholder,
    },
  ),
};

const COLUMNS: readonly Column<Domain>[] = [
  {
    title: titles.domain,
    cell: ({ id, unicode_domain: name }) => <Link to={`/domains/${id}`}>{name}</Link>,
  },
  {
    title: titles.state,
    cell: ({ status }) => <Status tone={DOMAIN_TONE[status]} text={domainText.status[status]} />,
  },
  {
    title: titles.mail,
    cell: ({ mx, checked_at }) => (
      <Status
        tone={mx.is_ok ? 'good' : checked_at === null ? 'plain' : 'wait'}
        text={
          mx.is_ok
            ? domainText.mxOk
            : checked_at === null
              ? domainText.notChecked
              : domainText.mxWrong
        }
      />
    ),
  },
  {
    title: titles.checked,
    isNumber: true,
    cell: ({ checked_at: at }) =>
      at === null ? domainText.notChecked : <Time at={at} as="relative" />,
  },
  timeColumn(titles.added, ({ created_at }) => created_at),
];

export function DomainListScreen() {
  const chosen = screenUrl.value.query.get('status');
  const status = STATUSES.find((one) => one === chosen);
  const query = { ...pageInUrl(PAGE_SIZE), ...(status && { status }) };
  const resource = useResource(`domains ${JSON.stringify(query)}`, (signal) =>
    call('GET /domains', { query, signal }),
  );
  return (
    <>
      <PageHead title={domainText.title}>
        {may('domains:write') && <CreateButton label={domainText.add} />}
      </PageHead>
      {may('domains:write') && (
        <CreateDialog label={domainText.add}>
          <TableForm
            table={NEW}
            submit={domainText.submit}
            saved={domainText.added}
            isInDialog
            send={(body) => call('POST /domains', { body })}
            show={({ id }) => go(`/domains/${id}`)}
          />
        </CreateDialog>
      )}
      <div class="filters">
        <Segments
          label={domainText.statusFilter}
          field="status"
          choices={[['', domainText.all], ...Object.entries(domainText.status)]}
        />
      </div>
      <PagedTable
        resource={resource}
        loadingRows={3}
        label={domainText.list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
      >
        {status ? (
          <EmptyState title={domainText.noMatchTitle} text={domainText.noMatchText} />
        ) : (
          <EmptyState title={domainText.emptyTitle} text={domainText.emptyText} />
        )}
      </PagedTable>
    </>
  );
}
