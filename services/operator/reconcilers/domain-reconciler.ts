/**
 * An InboundDomain resource is a domain of an account: claimed, then looked up in the DNS until it
 * is verified. Then it has the MTA-STS policy of the spec, with a route to it.
 */
import type { Domains } from '../../adapters/mongo/domain/domains.ts';
import type { ReadMxCertificate } from '../../adapters/tls/mx-certificate.ts';
import { checkDomain } from '../../core/address/address-name.ts';
import { type DomainRecord, domainView, mtaStsModeOf } from '../../core/domain/domain.ts';
import { AppError } from '../../core/error/app-error.ts';
import type { ManagedBy } from '../../core/resource/managed-by.ts';
import { type MtaStsMode, policyRecord } from '../../core/deliverability/mta-sts.ts';
import { enforceRefusal } from '../../core/deliverability/mx-certificate.ts';
import { notReady, RefusalError, type Verdict } from '../../core/kube/condition.ts';
import { domainStep, type DomainStep, nextLookupMs } from '../../core/kube/domain-resource.ts';
import { mtaStsVerdict } from '../../core/kube/mta-sts/verdict.ts';
import type { MtaStsRoutes } from '../cluster/mta-sts-routes.ts';
import type { CustomResource } from '../cluster/resource.ts';
import type { DomainOperations } from '../../platform/domain/domain-operations.ts';
import {
  type AccountOf,
  type CauseOf,
  type Reconciler,
  runSteps,
  unlessGone,
} from './reconciler.ts';

type DomainReconcilerDependencies = {
  domains: Pick<Domains, 'findManaged'>;
  operations: Pick<DomainOperations, 'create' | 'verify' | 'change' | 'remove'>;
  accountOf: AccountOf;
  causeOf: CauseOf;
  mxHosts: readonly string[];
  /** undefined when the operator makes no routes. */
  routes: MtaStsRoutes | undefined;
  readMxCertificate: ReadMxCertificate;
  clock: () => Date;
};

export function createDomainReconciler({
  domains,
  operations,
  accountOf,
  causeOf,
  mxHosts,
  routes,
  readMxCertificate,
  clock,
}: DomainReconcilerDependencies): Reconciler<'InboundDomain'> {
  const fieldsOf = (record: DomainRecord) => {
    const { id, verification, mx } = domainView(record, { mxHosts });
    const { found: _onlyInTheApi, ...toSet } = verification;
    return {
      id,
      verification: toSet,
      mx: { expected: mx.expected, found: mx.found, isOk: mx.is_ok },
      mtaSts: policyOf(record),
    };
  };
  const policyOf = (record: DomainRecord) => {
    const mode = mtaStsModeOf(record);
    if (mode === 'none') return undefined;
    const value = policyRecord(mode, mxHosts);
    return { mode, record: { type: 'TXT', name: `_mta-sts.${record.domain}`, value } };
  };
  /**
   * The result is in the record, also when another account has verified the domain, or the last
   * lookup was too recent.
   */
  async function lookUp(record: DomainRecord, owner: ManagedBy): Promise<void> {
    try {
      await operations.verify(causeOf(owner, record), record.id);
    } catch (error) {
      if (!(
        error instanceof AppError &&
        (error.kind === 'conflict' || error.kind === 'rate_limit_exceeded')
      ))
        throw error;
    }
  }

  /**
   * The mode is stored before the route exists, and withdrawn after the route is deleted, so that
   * none remains behind.
   */
  async function settleMtaSts(
    wanted: MtaStsMode,
    record: DomainRecord,
    owner: ManagedBy,
    hasCondition: boolean,
  ): Promise<{ record: DomainRecord; verdict?: Verdict | undefined }> {
    const before = mtaStsModeOf(record);
    const refusal = enforceRefusal(mxHosts, await readMxCertificate(), clock());
    const isRefused = wanted === 'enforce' && before !== 'enforce' && refusal !== undefined;
    const mode = isRefused || !record.is_verified ? before : wanted;
    if (mode === 'none' && before !== 'none') await routes?.remove(record.domain, owner);
    const changed =
      mode === before
        ? record
        : await operations.change(causeOf(owner, record), record.id, { mta_sts: mode });
    const routeRefusal =
      mode === 'none' || !record.is_verified || routes === undefined
        ? undefined
        : await refusalOf(routes.make(record.domain, owner));
    const verdict = mtaStsVerdict({
      domain: record.domain,
      wanted,
      isVerified: record.is_verified,
      mode,
      enforceRefusal: refusal,
      isRouted: routes !== undefined,
      routeRefusal,
      hasCondition,
    });
    return { record: changed, verdict };
  }

  return {
    settle: async function settleDomain({ spec, owner, status }) {
      const accountId = await accountOf(owner, spec);
      let hasLookedUp = false;
      const { record: claimed, step } = await runSteps<DomainRecord, DomainStep>({
        find: () => domains.findManaged(owner),
        next: (found) => domainStep({ spec, record: found, hasLookedUp, accountId, mxHosts }),
        act: {
          claim: ({ accountId: account_id, domain }) => {
            const cause = causeOf(owner, { account_id, environment: spec.environment });
            return operations.create(cause, { domain, managed_by: owner });
          },
          look_up: async (_, found) => {
            await lookUp(found, owner);
            hasLookedUp = true;
          },
        },
      });
      const isOurs = step.verdicts.Verified !== undefined;
      const { record, verdict } =
        claimed && isOurs
          ? await settleMtaSts(spec.mtaSts, claimed, owner, hasMtaSts(status))
          : { record: claimed };
      return {
        fields: { ...status, ...(record && fieldsOf(record)) },
        verdicts: { ...step.verdicts, ...(verdict && { MtaSts: verdict }) },
        ...(record && !record.is_verified && { againAfterMs: nextLookupMs(record, clock()) }),
      };
    },

    remove: async function removeDomain(owner, spec) {
      const record = await domains.findManaged(owner);
      try {
        if (record) await unlessGone(() => operations.remove(causeOf(owner, record), record.id));
        const domain = record?.domain ?? domainIn(spec);
        if (domain !== undefined) await routes?.remove(domain, owner);
        return undefined;
      } catch (error) {
        if (error instanceof AppError && error.kind === 'conflict')
          return notReady('InUse', `cannot be deleted yet. ${error.message}`);
        throw error;
      }
    },
  };
}

/** The record may be gone already, when the process ended before the route was deleted. */
function domainIn(spec: unknown): string | undefined {
  const { domain } = (spec ?? {}) as { domain?: unknown };
  const checked = checkDomain(typeof domain === 'string' ? domain : '');
  return 'fault' in checked ? undefined : checked.domain;
}

const hasMtaSts = ({ conditions = [] }: NonNullable<CustomResource['status']>): boolean =>
  conditions.some(({ type }) => type === 'MtaSts');

/** What the cluster refuses about the route. @throws what may succeed later */
async function refusalOf(work: Promise<void>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof RefusalError) return error.message;
    throw error;
  }
}
