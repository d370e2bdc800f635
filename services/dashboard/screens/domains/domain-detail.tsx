/** One domain: each DNS record to set, with its present value in the DNS. */
import { useState } from 'preact/hooks';

import { call } from '../../client/api.ts';
import type { Domain } from '../../../core/api/api-types.generated.ts';
import { useShortcut } from '../../browser/keyboard.ts';
import type { ScreenProps } from '../../browser/router.ts';
import { may } from '../../session/session.ts';
import { Copyable } from '../../parts/copy.tsx';
import { plain } from '../../parts/plain-text.ts';
import { Status } from '../../parts/status.tsx';
import { type Column, Table } from '../../parts/lists/table.tsx';
import { TimeFact } from '../../parts/time.tsx';
import { reporting } from '../../parts/toast.tsx';
import { DetailScreen } from '../../parts/resource/detail-screen.tsx';
import { domainText } from '../../strings/domains.ts';
import { RefusedLine } from '../refusals/refused-line.tsx';
import { CopyZoneFile } from './zone-file.tsx';
import { Deliverability } from './deliverability.tsx';
import { DOMAIN_TONE } from './domain-list.tsx';

export function DomainDetailScreen({ params: { domain_id = '' } }: ScreenProps) {
  const params = { domain_id };
  return (
    <DetailScreen<Domain>
      texts={domainText}
      list="/domains"
      id={domain_id}
      load={(signal) => call('GET /domains/{domain_id}', { params, signal })}
      titleOf={({ unicode_domain }) => unicode_domain}
      facts={({ domain, status, verified_at, checked_at }) => (
        <>
          <Status tone={DOMAIN_TONE[status]} text={domainText.status[status]} />
          {verified_at && <TimeFact label={domainText.verifiedAt} at={verified_at} as="full" />}
          {checked_at === null ? (
            <span>{domainText.notChecked}</span>
          ) : (
            <TimeFact label={domainText.checkedAt} at={checked_at} as="relative" />
          )}
          <RefusedLine field="domain" value={domain} />
        </>
      )}
      mayWrite={may('domains:write')}
      actions={({ show }) => may('domains:write') && <CheckButton id={domain_id} show={show} />}
      remove={() => call('DELETE /domains/{domain_id}', { params })}
    >
      {({ record: domain, show, mayWrite }) => (
        <>
          {domain.problem && (
            <p class="notice notice-bad" role="alert">
              {domainText.problem[domain.problem]}
            </p>
          )}
          <h2 class="section-title">
            {domainText.records} <CopyZoneFile domain={domain} />
          </h2>
          <Table
            label={domainText.records}
            columns={COLUMNS}
            rows={recordsOf(domain)}
            keyOf={({ type, value }) => `${type} ${value}`}
          />
          <Deliverability domain={domain} mayWrite={mayWrite} show={show} />
        </>
      )}
    </DetailScreen>
  );
}

type DnsRecord = {
  type: 'TXT' | 'MX';
  purpose: string;
  name: string;
  value: string;
  isSet: boolean;
  /** The values in the DNS instead. */
  found: string;
};

const recordsOf = ({ domain, verification, problem, checked_at, mx }: Domain): DnsRecord[] => [
  {
    type: verification.type,
    purpose: domainText.ownership,
    name: verification.name,
    value: verification.value,
    isSet: problem !== 'dns_unavailable' && verification.found.includes(verification.value),
    found:
      problem === 'dns_unavailable'
        ? domainText.noResponse
        : foundText(verification.found, checked_at),
  },
  ...mx.expected.map((value) => ({
    type: 'MX' as const,
    purpose: domainText.mailExchange,
    name: domain,
    value,
    isSet: mx.found.includes(value),
    found: foundText(mx.found, checked_at),
  })),
];

/** The owners of the zone wrote these values. */
const foundText = (found: readonly string[], checkedAt: string | null): string =>
  checkedAt === null ? domainText.notChecked : plain(found.join(', ')) || domainText.nothingFound;

const { recordColumns: titles } = domainText;

const COLUMNS: readonly Column<DnsRecord>[] = [
  {
    title: titles.type,
    cell: ({ type, purpose }) => (
      <>
        <strong>{type}</strong> <span class="soft">{purpose}</span>
      </>
    ),
  },
  { title: titles.name, cell: ({ name }) => <Copyable text={name} what={titles.name} /> },
  { title: titles.value, cell: ({ value }) => <Copyable text={value} what={titles.value} /> },
  {
    title: titles.found,
    cell: ({ isSet, found }) => (
      <Status tone={isSet ? 'good' : 'wait'} text={isSet ? domainText.asExpected : found} />
    ),
  },
];

function CheckButton({ id, show }: { id: string; show: (found: Domain) => void }) {
  const [isBusy, setIsBusy] = useState(false);
  const check = async () => {
    setIsBusy(true);
    await reporting(async () =>
      show(await call('POST /domains/{domain_id}/verify', { params: { domain_id: id } })),
    );
    setIsBusy(false);
  };
  useShortcut('r', domainText.check, () => void check());
  return (
    <button type="button" class="primary" disabled={isBusy} onClick={() => void check()}>
      {isBusy ? domainText.checking : domainText.check}
    </button>
  );
}
