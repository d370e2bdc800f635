/** The records of a domain as a zone file, for DNS hosts that import one. */
import type { Domain } from '../../../core/api/api-types.generated.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { domainText } from '../../strings/domains.ts';

const MX_PRIORITY = 10;
const TTL_SECONDS = 3_600;

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
