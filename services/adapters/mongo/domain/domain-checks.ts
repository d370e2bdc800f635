/** What checks of a domain find, and its MTA-STS policy. */
import type { Collection } from 'mongodb';

import { type DomainFindings, LOOK_AGAIN_MS } from '../../../core/domain/findings.ts';
import type { DeliverabilityFacts } from '../../../core/deliverability/deliverability-facts.ts';
import type { MtaStsMode } from '../../../core/deliverability/mta-sts.ts';
import { type StoredDomain, VERIFIED } from '../documents/domain-documents.ts';

export type DomainChecks = {
  /** Begins a DNS check. False when the previous one is more recent than `lastBefore`. */
  beginCheck(id: string, lastBefore: Date, now: Date): Promise<boolean>;
  recordCheck(id: string, findings: DomainFindings): Promise<void>;
  recordDeliverability(id: string, found: DeliverabilityFacts): Promise<void>;
  setMtaSts(id: string, mode: MtaStsMode): Promise<void>;
  /** The mode of the domain of exactly this name; undefined when nobody has verified it. */
  mtaStsOf(domain: string): Promise<MtaStsMode | undefined>;
};

export function createDomainChecks(domains: Collection<StoredDomain>): DomainChecks {
  return {
    beginCheck: async function beginDomainCheck(id, lastBefore, now) {
      const which = { _id: id, $or: [{ checked_at: null }, { checked_at: { $lte: lastBefore } }] };
      return (await domains.updateOne(which, { $set: { checked_at: now } })).matchedCount === 1;
    },

    recordCheck: async function recordDomainCheck(
      id,
      { checked_at, problem, txt, mx, missing_since, missing_noticed_at },
    ) {
      await domains.updateOne(
        { _id: id },
        { $set: { checked_at, problem, txt, mx, missing_since, missing_noticed_at } },
      );
    },

    recordDeliverability: async function recordDomainDeliverability(id, deliverability) {
      const next_look_at = new Date(deliverability.checked_at.getTime() + LOOK_AGAIN_MS);
      await domains.updateOne({ _id: id }, { $set: { deliverability, next_look_at } });
    },

    setMtaSts: async function setMtaStsOfDomain(id, mta_sts) {
      await domains.updateOne({ _id: id }, { $set: { mta_sts } });
    },

    mtaStsOf: async function mtaStsOfDomain(domain) {
      const found = await domains.findOne(
        { ...VERIFIED, domain },
        { projection: { _id: 0, mta_sts: 1 } },
      );
      return found === null ? undefined : (found.mta_sts ?? 'none');
    },
  };
}
