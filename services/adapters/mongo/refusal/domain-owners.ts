/** Whose unknown mailboxes these are: the accounts of verified domains. Lookups share queries. */
import type { Db } from 'mongodb';

import { domainsAbove } from '../../../core/address/resolution.ts';
import type { RefusalOwner } from '../../../core/refusal/refusal.ts';
import { createBatches } from '../../async/batches.ts';
import { ACCOUNTS, type StoredAccount } from '../documents/account-documents.ts';
import { DOMAINS, type StoredDomain, VERIFIED } from '../documents/domain-documents.ts';

/** A flood names many domains. */
const TOGETHER = 200;

export function createDomainOwners(db: Db): (domain: string) => Promise<RefusalOwner | undefined> {
  const domains = db.collection<StoredDomain>(DOMAINS);
  const accounts = db.collection<StoredAccount>(ACCOUNTS);

  const ownersOf = async (names: readonly string[]): Promise<(RefusalOwner | undefined)[]> => {
    const asked = names.map((name) => [name, ...domainsAbove(name)]); // the longest one first
    const found = await domains
      .find(
        { ...VERIFIED, domain: { $in: [...new Set(asked.flat())] } },
        { projection: { account_id: 1, environment: 1, domain: 1 } },
      )
      .toArray();
    if (found.length === 0) return names.map(() => undefined);
    const owners = await accounts
      .find(
        { _id: { $in: found.map(({ account_id }) => account_id) } },
        { projection: { 'settings.redact': 1 } },
      )
      .toArray();
    const redactOf = new Map(owners.map(({ _id, settings }) => [_id, settings?.redact]));
    const byDomain = new Map(found.map((one) => [one.domain, one]));
    return asked.map(([name, ...above]) => {
      const one = [name, ...above].map((domain) => byDomain.get(domain ?? '')).find(Boolean);
      if (one === undefined) return undefined;
      const { account_id, environment, domain } = one;
      const redact = redactOf.get(account_id);
      return {
        account_id,
        environment,
        address_id: null,
        name: `@${domain}`, // a stranger chooses what is below it
        ...(redact && { redact }),
      };
    });
  };
  return createBatches(ownersOf, { max: TOGETHER });
}
