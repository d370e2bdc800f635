/** The invoices of the account, newest first. */
import { call } from '../../client/api.ts';
import type { Invoice } from '../../../core/api/api-types.generated.ts';
import { useResource } from '../../client/resource.ts';
import { formatMoney } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { PagedTable } from '../../parts/lists/paged-table.tsx';
import { pageInUrl } from '../../parts/lists/pager.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { Status, type Tone } from '../../parts/status.tsx';
import type { Column } from '../../parts/lists/table.tsx';
import { Time } from '../../parts/time.tsx';
import { usageText } from '../../strings/usage.ts';

const PAGE_SIZE = 24;
const TONE: Record<Invoice['status'], Tone> = { open: 'wait', paid: 'good', void: 'plain' };
const { invoiceColumns: titles } = usageText;

const COLUMNS: readonly Column<Invoice>[] = [
  {
    title: titles.period,
    cell: ({ period_start: start, period_end: end }) => (
      <>
        <Time at={start} as="day" /> {usageText.until} <Time at={end} as="day" />
      </>
    ),
  },
  {
    title: titles.state,
    cell: ({ status }) => <Status tone={TONE[status]} text={usageText.invoiceStatus[status]} />,
  },
  {
    title: titles.due,
    isNumber: true,
    cell: ({ amount_due: amount, currency }) => formatMoney(amount, currency),
  },
  {
    title: titles.paid,
    isNumber: true,
    cell: ({ amount_paid: amount, currency }) => formatMoney(amount, currency),
  },
  {
    title: titles.file,
    isNumber: true,
    cell: ({ invoice_pdf: pdf }) => (
      <a href={pdf} target="_blank" rel="noopener">
        <Icon name="download" /> {usageText.pdf}
      </a>
    ),
  },
];

export function Invoices() {
  const query = pageInUrl(PAGE_SIZE);
  const resource = useResource(`invoices ${query.offset}`, (signal) =>
    call('GET /billing/history', { query, signal }),
  );
  return (
    <section aria-labelledby="invoices">
      <h2 id="invoices" class="section-title">
        {usageText.invoices}
      </h2>
      <PagedTable
        resource={resource}
        loadingRows={2}
        label={usageText.invoices}
        columns={COLUMNS}
        keyOf={({ id }) => id}
      >
        <EmptyState title={usageText.noInvoiceTitle} text={usageText.noInvoiceText} />
      </PagedTable>
    </section>
  );
}
