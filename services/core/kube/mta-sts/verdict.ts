/** The condition `MtaSts` of an InboundDomain: whether its policy is the one that the spec names. */
import { POLICY_PATH, policyHost, type MtaStsMode } from '../../deliverability/mta-sts.ts';
import { notReady, ready, type Verdict } from '../condition.ts';

type MtaStsFacts = {
  domain: string;
  wanted: MtaStsMode;
  isVerified: boolean;
  /** The mode of the record after this reconciliation. */
  mode: MtaStsMode;
  /** Why `enforce` would be refused now; undefined when it would not. */
  enforceRefusal: string | undefined;
  /** Whether the operator makes the route. */
  isRouted: boolean;
  /** Why the route could not be made. */
  routeRefusal: string | undefined;
  /** Whether the resource has the condition already. */
  hasCondition: boolean;
};

/** undefined: the resource has no such condition. */
export function mtaStsVerdict(facts: MtaStsFacts): Verdict | undefined {
  const { domain, wanted, isVerified, mode, enforceRefusal, isRouted, routeRefusal } = facts;
  if (wanted === 'none' && routeRefusal === undefined)
    return facts.hasCondition ? notReady('Off', 'mtaSts is none') : undefined;
  if (!isVerified)
    return notReady('Unverified', 'the policy is served once the domain is verified');
  if (wanted === 'enforce' && mode !== 'enforce')
    return notReady('EnforceRefused', `${enforceRefusal}. The policy is still ${mode}`);
  if (wanted === 'enforce' && enforceRefusal !== undefined)
    return notReady(
      'CertificateGap',
      `${enforceRefusal}. Senders with the policy do not deliver to such a host`,
    );
  if (routeRefusal !== undefined) return notReady('RouteRefused', routeRefusal);
  const url = `https://${policyHost(domain)}${POLICY_PATH}`;
  return ready(
    mode === 'enforce' ? 'Enforced' : 'Testing',
    isRouted
      ? `the policy is routed at ${url}`
      : `the policy has no route: lead ${url} to the API, or set mtaSts.route in the chart`,
  );
}
