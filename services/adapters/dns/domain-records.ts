/** A look at the DNS for what proves a domain and for where its mail goes. */
import { challengeName, type DnsFacts } from '../../core/account/domain.ts';
import type { Dns } from './resolver.ts';

export type LookUpDomain = (domain: string) => Promise<DnsFacts>;

export const createDomainLookup = (dns: Pick<Dns, 'find'>): LookUpDomain =>
  async function lookUpDomain(domain) {
    const [txt, mx] = await Promise.allSettled([
      dns.find(challengeName(domain), 'TXT'),
      dns.find(domain, 'MX'),
    ]);
    return {
      txt: txt.status === 'fulfilled' ? txt.value.map((strings) => strings.join('')) : undefined, // RFC 7208 §3.3: one text in pieces
      mx:
        mx.status === 'fulfilled'
          ? mx.value.map(({ exchange, priority }) => ({
              exchange: exchange.toLowerCase().replace(/\.$/, ''),
              priority,
            }))
          : undefined,
    };
  };
