/**
 * An InboundDomain resource is a domain of an account: claimed, then looked up in the DNS until it
 * is verified.
 */
import type { DomainOperations } from '../../platform/domain-operations.ts';
import type { Domains } from '../../adapters/mongo/addresses/domains.ts';
import { AppError } from '../../core/app-error.ts';
import { notReady } from '../../core/kube/condition.ts';
import { InboundDomainSpec } from '../../core/kube/domain-spec.ts';
import { type DomainRecord, domainView } from '../../core/address/domain.ts';
import { domainStep, nextLookupMs } from '../../core/kube/domain-resource.ts';
import type { Reconciler } from './reconcile.ts';
import { ownerOf, specOf } from '../resource.ts';

type Needs = {
  domains: Pick<Domains, 'findManaged'>;
  operations: Pick<DomainOperations, 'claim' | 'verify' | 'remove'>;
  accountId: (namespace: string, name: string) => Promise<string | undefined>;
  mxHosts: readonly string[];
  clock: () => Date;
};

const MAX_STEPS = 4;

export function createDomainReconciler({
  domains,
  operations,
  accountId,
  mxHosts,
  clock,
}: Needs): Reconciler {
  const fieldsOf = (record: DomainRecord) => {
    const { id, verification, mx } = domainView(record, mxHosts);
    const { found: _onlyInTheApi, ...toSet } = verification;
    return {
      id,
      verification: toSet,
      mx: { expected: mx.expected, found: mx.found, isOk: mx.is_ok },
    };
  };
  const causeOf = ({ account_id, environment }: DomainRecord) => ({
    caller: { account_id, environment },
    now: clock(),
  });

  /**
   * The result is in the record, also when another account has verified the domain, or the last
   * lookup was too recent.
   */
  async function lookUp(record: DomainRecord): Promise<void> {
    try {
      await operations.verify(causeOf(record), record.id);
    } catch (error) {
      if (!(
        error instanceof AppError &&
        (error.kind === 'conflict' || error.kind === 'rate_limit_exceeded')
      ))
        throw error;
    }
  }

  return {
    settle: async function settleDomain(resource) {
      const spec = specOf(InboundDomainSpec, resource);
      const owner = ownerOf('InboundDomain', resource);
      let hasLookedUp = false;
      for (let i = 0; i < MAX_STEPS; i++) {
        const record = await domains.findManaged(owner);
        const step = domainStep({
          spec,
          record,
          hasLookedUp,
          accountId: await accountId(owner.namespace, spec.accountRef.name),
          mxHosts,
        });
        if (step.kind === 'settled') {
          return {
            fields: { ...resource.status, ...(record && fieldsOf(record)) },
            verdicts: step.verdicts,
            ...(record && !record.is_verified && { againAfterMs: nextLookupMs(record, clock()) }),
          };
        }
        if (step.kind === 'claim') {
          await operations.claim(
            { caller: { account_id: step.accountId, environment: spec.environment }, now: clock() },
            step.domain,
            owner,
          );
        } else if (record) {
          await lookUp(record);
          hasLookedUp = true;
        }
      }
      throw new Error(`the domain did not settle in ${MAX_STEPS} steps`);
    },

    remove: async function removeDomain(resource) {
      const record = await domains.findManaged(ownerOf('InboundDomain', resource));
      if (record === undefined) return undefined;
      try {
        await operations.remove(causeOf(record), record.id);
        return undefined;
      } catch (error) {
        if (error instanceof AppError && error.kind === 'conflict')
          return notReady('InUse', `cannot be deleted yet. ${error.message}`);
        if (error instanceof AppError && error.kind === 'not_found') return undefined;
        throw error;
      }
    },
  };
}
