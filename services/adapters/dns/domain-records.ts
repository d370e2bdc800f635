/**
 * Reads the DNS records that prove who owns a domain and that route its mail, and those that make
 * the mail safe.
 */
import { challengeName } from '../../core/domain/challenge.ts';
import type { DnsFacts } from '../../core/domain/findings.ts';
import { domainsAbove } from '../../core/address/resolution.ts';
import {
  type DeliverabilityFacts,
  keptTexts,
} from '../../core/deliverability/deliverability-facts.ts';
import { policyHost } from '../../core/deliverability/mta-sts.ts';
import type { Dns } from './resolver.ts';

export type LookUpDomain = (domain: string) => Promise<DnsFacts>;

export const createDomainLookup = (dns: Pick<Dns, 'find'>): LookUpDomain =>
  async function lookUpDomain(domain) {
    const [txt, mx] = await Promise.allSettled([
      dns.find(challengeName(domain), 'TXT'),
      dns.find(domain, 'MX'),
    ]);
    return {
      // RFC 7208 §3.3: a record is one text in one or more strings.
      txt: txt.status === 'fulfilled' ? txt.value.map((strings) => strings.join('')) : undefined,
      mx:
        mx.status === 'fulfilled'
          ? mx.value.map(({ exchange, priority }) => ({
              exchange: exchange.toLowerCase().replace(/\.$/, ''),
              priority,
            }))
          : undefined,
    };
  };

type DeliverabilityRecords = Omit<DeliverabilityFacts, 'checked_at' | 'mx'>;
export type LookUpDeliverability = (domain: string) => Promise<DeliverabilityRecords>;

/** All lookups run at the same time, so that the time limit of one is that of all. */
export function createDeliverabilityLookup(dns: Pick<Dns, 'find'>): LookUpDeliverability {
  const texts = async (name: string, version: string): Promise<string[] | null> => {
    try {
      const records = await dns.find(name, 'TXT');
      return keptTexts(
        records.map((strings) => strings.join('')),
        version,
      );
    } catch {
      return null;
    }
  };
  const addresses = async (host: string): Promise<string[] | null> => {
    const found = await Promise.allSettled([dns.find(host, 'A'), dns.find(host, 'AAAA')]);
    const known = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    const isSilent = found.some(({ status }) => status === 'rejected');
    return known.length === 0 && isSilent ? null : known.slice(0, ADDRESSES_KEPT);
  };
  /** The DMARC record of the domain, or of the nearest domain above it that has one. */
  const dmarc = async (domain: string) => {
    const names = [domain, ...domainsAbove(domain)].map((one) => `_dmarc.${one}`);
    const found = await Promise.all(
      names.map(async (name) => ({
        dmarc_name: name,
        dmarc: await texts(name, DMARC_VERSION),
      })),
    );
    const [own] = found;
    return (
      found.find(({ dmarc: records }) => records === null || records.some(isRecord)) ??
      own ?? { dmarc_name: '', dmarc: null }
    );
  };

  return async function lookUpDeliverability(domain) {
    const [mta_sts, mta_sts_host, tls_rpt, ofDmarc] = await Promise.all([
      texts(`_mta-sts.${domain}`, 'v=STSv1'),
      addresses(policyHost(domain)),
      texts(`_smtp._tls.${domain}`, 'v=TLSRPTv1'),
      dmarc(domain),
    ]);
    return { mta_sts, mta_sts_host, tls_rpt, ...ofDmarc };
  };
}

const DMARC_VERSION = 'v=DMARC1';
const isRecord = (text: string): boolean => text.startsWith(DMARC_VERSION);
const ADDRESSES_KEPT = 10;
