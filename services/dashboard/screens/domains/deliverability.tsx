/** Whether email of a domain is safe on its way: the mode of MTA-STS, and a table of checks. */
import { useState } from 'preact/hooks';

import { call } from '../../client/api.ts';
import type {
  DeliverabilityCheck as Check,
  Domain,
} from '../../../core/api/api-types.generated.ts';
import { Copyable } from '../../parts/copy.tsx';
import { Field } from '../../parts/field.tsx';
import { plain } from '../../parts/plain-text.ts';
import { Status, type Tone } from '../../parts/status.tsx';
import { type Column, Table } from '../../parts/lists/table.tsx';
import { reporting } from '../../parts/toast.tsx';
import { domainText } from '../../strings/domains.ts';

const TONE: Record<Check['status'], Tone> = {
  ok: 'good',
  missing: 'wait',
  wrong: 'bad',
  unknown: 'plain',
  off: 'plain',
};
const MODES = Object.entries(domainText.mtaStsModes) as [Domain['mta_sts'], string][];
const { checkColumns: titles } = domainText;

/** The owners of the zone, or of the mail server, wrote what was found. */
const COLUMNS: readonly Column<Check>[] = [
  { title: titles.check, cell: ({ kind }) => <strong>{domainText.checks[kind]}</strong> },
  {
    title: titles.result,
    cell: ({ status, message }) => (
      <>
        <Status tone={TONE[status]} text={domainText.checkStatus[status]} />{' '}
        <span class="soft">{plain(message)}</span>
      </>
    ),
  },
  {
    title: titles.record,
    cell: ({ record }) =>
      record && (
        <>
          {record.type} <Copyable text={record.name} what={domainText.recordColumns.name} />{' '}
          <Copyable text={record.value} what={domainText.recordColumns.value} />
        </>
      ),
  },
  {
    title: titles.found,
    cell: ({ found }) => plain(found.join(', ')) || <span class="soft">–</span>,
  },
];

type Props = { domain: Domain; mayWrite: boolean; show: (found: Domain) => void };

export const Deliverability = ({ domain, mayWrite, show }: Props) => (
  <>
    <h2 class="section-title">{domainText.safety}</h2>
    {mayWrite && domain.is_verified && <ModeField domain={domain} show={show} />}
    <Table
      label={domainText.safety}
      columns={COLUMNS}
      rows={domain.deliverability.checks}
      keyOf={({ kind }) => kind}
    />
  </>
);

function ModeField({ domain: { id, mta_sts: mode }, show }: Omit<Props, 'mayWrite'>) {
  const [isBusy, setIsBusy] = useState(false);
  const change = async (select: HTMLSelectElement) => {
    const mta_sts = select.value as Domain['mta_sts'];
    setIsBusy(true);
    const isChanged = await reporting(
      async () =>
        show(
          await call('PATCH /domains/{domain_id}', {
            params: { domain_id: id },
            body: { mta_sts },
          }),
        ),
      domainText.mtaStsChanged,
    );
    if (!isChanged) select.value = mode; // such as enforce without a certificate
    setIsBusy(false);
  };
  return (
    <Field label={domainText.mtaSts} hint={domainText.mtaStsHint}>
      <select value={mode} disabled={isBusy} onChange={(event) => void change(event.currentTarget)}>
        {MODES.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  );
}
