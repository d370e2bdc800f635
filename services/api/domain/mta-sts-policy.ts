/**
 * The MTA-STS policies of verified domains, at `mta-sts.<domain>` (RFC 8461 §3.2): without a token,
 * for senders of email.
 */
import type { Middleware } from 'koa';

import { createFreshCache } from '../../adapters/async/fresh-cache.ts';
import type { Domains } from '../../adapters/mongo/domain/domains.ts';
import { checkDomain } from '../../core/address/address-name.ts';
import { AppError, notFound } from '../../core/error/app-error.ts';
import {
  domainOfPolicyHost,
  type MtaStsMode,
  POLICY_PATH,
  policyText,
} from '../../core/deliverability/mta-sts.ts';
import { createSlots, POLICY_READS } from '../http/limits/slots.ts';
import { type ForwardingProxies, sourceOf } from '../http/source-address.ts';
import type { ApiState } from '../http/state/state.ts';
import { sourceNetwork } from '../../core/network/network.ts';

type MtaStsPolicyDependencies = {
  domains: Pick<Domains, 'mtaStsOf'>;
  /** Hosts that the policies name. */
  mxHosts: readonly string[];
  proxies: ForwardingProxies;
};

/** A change of the mode is visible after this time. */
const CACHE_MS = 30_000;
/** About 2 MB. Anybody can ask for names that have no policy: they are cached, too. */
const DOMAINS_CACHED = 10_000;
const MAX_AGE_SECONDS = 300;

export function servePolicies({
  domains,
  mxHosts,
  proxies,
}: MtaStsPolicyDependencies): Middleware<ApiState> {
  const modes = createFreshCache<{ mode: MtaStsMode | undefined }>({
    maxSize: DOMAINS_CACHED,
    freshMs: () => CACHE_MS,
  });
  const reads = createSlots(POLICY_READS);

  const modeOf = async (host: string, source: string): Promise<MtaStsMode | undefined> => {
    const checked = checkDomain(domainOfPolicyHost(host) ?? '');
    if ('fault' in checked) return undefined;
    const { domain } = checked;
    const { mode } = await modes.get(domain, async () => {
      using _slot = reads.take(source, { onClose: () => undefined });
      return { mode: await domains.mtaStsOf(domain) };
    });
    return mode;
  };

  return async function serveMtaStsPolicy(ctx, next) {
    if (ctx.path !== POLICY_PATH) return next();
    ctx.state.route = POLICY_PATH;
    if (!['GET', 'HEAD'].includes(ctx.method)) {
      ctx.set('Allow', 'GET, HEAD');
      throw new AppError('method_not_allowed', 'This page takes GET, HEAD');
    }
    const mode = await modeOf(
      ctx.hostname.toLowerCase(),
      sourceNetwork(sourceOf(ctx.req, proxies)),
    );
    if (mode === undefined) throw notFound('policy');
    ctx.set('Cache-Control', `public, max-age=${MAX_AGE_SECONDS}`);
    ctx.type = 'text/plain; charset=utf-8';
    ctx.body = policyText(mode, mxHosts);
    return undefined;
  };
}
