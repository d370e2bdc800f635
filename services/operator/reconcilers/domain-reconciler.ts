/** An InboundDomain resource is an own domain of an account: claimed, then looked for in the DNS until it is proved. */
import type { DomainOperations } from '../../platform/domain-operations.ts';
import type { Domains } from '../../adapters/mongo/domains.ts';
import { AppError } from '../../core/app-error.ts';
import { notReady } from '../../core/kube/condition.ts';
import { InboundDomainSpec } from '../../core/kube/domain-spec.ts';
import { type DomainRecord, domainView } from '../../core/account/domain.ts';
import { domainStep, nextLookMs } from '../../core/kube/domain-resource.ts';
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
    return { id, verification, mx: { expected: mx.expected, found: mx.found, isOk: mx.is_ok } };
  };
  const causeOf = ({ account_id, environment }: DomainRecord) => ({
    caller: { account_id, environment },
    now: clock(),
  });

  /** The record tells afterwards what was found, also that somebody else has proved the domain; or what was, if it was looked at a moment ago. */
  async function look(record: DomainRecord): Promise<void> {
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
      let hasLooked = false;
      for (let i = 0; i < MAX_STEPS; i++) {
        const record = await domains.findManaged(owner);
        const step = domainStep({
          spec,
          record,
          hasLooked,
          accountId: await accountId(owner.namespace, spec.accountRef.name),
          mxHosts,
        });
        if (step.kind === 'settled') {
          return {
            fields: { ...resource.status, ...(record && fieldsOf(record)) },
            verdicts: step.verdicts,
            ...(record && !record.is_verified && { againAfterMs: nextLookMs(record, clock()) }),
          };
        }
        if (step.kind === 'claim') {
          await operations.claim(
            { caller: { account_id: step.accountId, environment: spec.environment }, now: clock() },
            step.domain,
            owner,
          );
        } else if (record) {
          await look(record);
          hasLooked = true;
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
          return notReady('InUse', `not deleted yet. ${error.message}`);
        if (error instanceof AppError && error.kind === 'not_found') return undefined;
        throw error;
      }
    },
  };
}
