/**
 * An InboundDomain resource is a domain of an account: claimed, then looked up in the DNS until it
 * is verified.
 */
import type { Domains } from '../../adapters/mongo/addresses/domains.ts';
import { type DomainRecord, domainView } from '../../core/address/domain.ts';
import { AppError } from '../../core/app-error.ts';
import { notReady } from '../../core/kube/condition.ts';
import { domainStep, type DomainStep, nextLookupMs } from '../../core/kube/domain-resource.ts';
import type { DomainOperations } from '../../platform/domain-operations.ts';
import { type AccountOf, type Reconciler, runSteps, unlessGone } from './reconciler.ts';

type Parts = {
  domains: Pick<Domains, 'findManaged'>;
  operations: Pick<DomainOperations, 'claim' | 'verify' | 'remove'>;
  accountOf: AccountOf;
  mxHosts: readonly string[];
  clock: () => Date;
};

export function createDomainReconciler({
  domains,
  operations,
  accountOf,
  mxHosts,
  clock,
}: Parts): Reconciler<'InboundDomain'> {
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
    settle: async function settleDomain({ spec, owner, status }) {
      const accountId = await accountOf(owner, spec);
      let hasLookedUp = false;
      const { record, step } = await runSteps<DomainRecord, DomainStep>({
        find: () => domains.findManaged(owner),
        next: (found) => domainStep({ spec, record: found, hasLookedUp, accountId, mxHosts }),
        act: {
          claim: ({ accountId: account_id, domain }) => {
            const caller = { account_id, environment: spec.environment };
            return operations.claim({ caller, now: clock() }, domain, owner);
          },
          look_up: async (_, found) => {
            await lookUp(found);
            hasLookedUp = true;
          },
        },
      });
      return {
        fields: { ...status, ...(record && fieldsOf(record)) },
        verdicts: step.verdicts,
        ...(record && !record.is_verified && { againAfterMs: nextLookupMs(record, clock()) }),
      };
    },

    remove: async function removeDomain(owner) {
      const record = await domains.findManaged(owner);
      if (record === undefined) return undefined;
      try {
        await unlessGone(() => operations.remove(causeOf(record), record.id));
        return undefined;
      } catch (error) {
        if (error instanceof AppError && error.kind === 'conflict')
          return notReady('InUse', `cannot be deleted yet. ${error.message}`);
        throw error;
      }
    },
  };
}
