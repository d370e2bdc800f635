/** Two ways to set the records of a domain at once: the DNS host does it, or a zone file. */
import { useState } from 'preact/hooks';

import { call } from '../../client/api.ts';
import type { Domain, DomainConnect } from '../../../core/api/api-types.generated.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { plain } from '../../parts/plain-text.ts';
import { reporting } from '../../parts/toast.tsx';
import { domainText } from '../../strings/domains.ts';

const MX_PRIORITY = 10;
const TTL_SECONDS = 3_600;

/** Asks the DNS host only when somebody wants it: it is a server of others. */
export function ConnectDomain({ id }: { id: string }) {
  const [found, setFound] = useState<DomainConnect>();
  const [isBusy, setIsBusy] = useState(false);
  const ask = async () => {
    setIsBusy(true);
    await reporting(async () =>
      setFound(await call('GET /domains/{domain_id}/connect', { params: { domain_id: id } })),
    );
    setIsBusy(false);
  };
  if (found === undefined)
    return (
      <button type="button" disabled={isBusy} onClick={() => void ask()}>
        {isBusy ? domainText.connecting : domainText.connect}
      </button>
    );
  if (found.url === null) return <p class="notice">{domainText.connectNone}</p>;
  return (
    <div class="notice">
      {found.replaces.length > 0 && (
        <p>
          <strong>{domainText.connectReplaces(plain(found.replaces.join(', ')))}</strong>
        </p>
      )}
      <a href={found.url} target="_blank" rel="noopener noreferrer">
        {domainText.connectAt(plain(found.dns_host ?? ''))}
      </a>
    </div>
  );
}

/** RFC 1035 §5.1. */
const zoneFile = ({ domain, verification, mx }: Domain): string =>
  [
    `${verification.name}. ${TTL_SECONDS} IN TXT "${verification.value}"`,
    ...mx.expected.map((host) => `${domain}. ${TTL_SECONDS} IN MX ${MX_PRIORITY} ${host}.`),
    '',
  ].join('\n');

export const CopyZoneFile = ({ domain }: { domain: Domain }) => (
  <CopyButton text={zoneFile(domain)} what={domainText.zoneFile} />
);
