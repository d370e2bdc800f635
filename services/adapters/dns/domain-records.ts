/** Reads the DNS records that prove who owns a domain and that route its mail. */
import { challengeName, type DnsFacts } from '../../core/address/domain.ts';
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
