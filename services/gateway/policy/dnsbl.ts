/**
 * Looks up a source in DNS blocklists while its connection starts. A failed or slow lookup refuses
 * nothing.
 */
import type { Dns } from '../../adapters/dns/resolver.ts';
import type { Log } from '../../adapters/process/log.ts';
import { type Blocklist, canBeListed, isListing, refusalOfListed } from '../../core/smtp/dnsbl.ts';
import { reversedName } from '../../core/smtp/reversed-name.ts';
import type { SmtpReply } from '../../core/smtp/smtp-reply.ts';
import type { GatewayMetrics } from '../process/metrics.ts';

/**
 * The reply that refuses this address, from the first list in the setting that has it. Never fails.
 */
export type AskBlocklists = (address: string) => Promise<SmtpReply | undefined>;

type BlocklistDependencies = {
  dns: Pick<Dns, 'find'>;
  metrics: Pick<GatewayMetrics, 'blocklistAnswered'>;
};

export function createAskBlocklists(
  lists: readonly Blocklist[],
  exemptNetworks: readonly string[],
  { dns, metrics }: BlocklistDependencies,
  log: Log,
): AskBlocklists {
  const lookUp = async (list: Blocklist, address: string): Promise<SmtpReply | undefined> => {
    const name = reversedName(address, list.zone);
    if (name === undefined) return undefined;
    try {
      const isListed = (await dns.find(name, 'A')).some(isListing);
      metrics.blocklistAnswered(list.name, isListed ? 'listed' : 'not_listed');
      return isListed ? refusalOfListed(list, await reasonOf(name)) : undefined;
    } catch (error) {
      metrics.blocklistAnswered(list.name, 'failed');
      log.debug('blocklist.failed', { list: list.name, error });
      return undefined;
    }
  };
  const reasonOf = async (name: string): Promise<string | undefined> => {
    const [record] = await dns.find(name, 'TXT').catch(() => []);
    return record?.join('');
  };

  return async function askBlocklists(address) {
    if (lists.length === 0 || !canBeListed(address, exemptNetworks)) return undefined;
    const replies = await Promise.all(lists.map((list) => lookUp(list, address)));
    return replies.find((reply) => reply !== undefined);
  };
}
