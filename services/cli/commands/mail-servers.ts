/** Which mail servers a sender would ask, and in which order (RFC 5321 §5.1). */
import { askNameServers, isNoSuchCode } from '../../adapters/dns/name-servers.ts';
import { ExitCode, Failure } from '../terminal/failure.ts';
import { causesOf } from '../terminal/fault-text.ts';

const DNS_TIMEOUT_MS = 5_000;
/** A sender would try more, but each may take the time of a timeout. */
const SERVERS_MAX = 4;

/**
 * @param servers for tests: the name servers
 * @throws Failure when the domain has none
 */
export async function mailServersOf(domain: string, servers?: string[]): Promise<string[]> {
  const dns = askNameServers(servers, { timeoutMs: DNS_TIMEOUT_MS, tries: 2 });
  try {
    const hosts = await dns.mailServers(domain);
    if (hosts.length === 0)
      throw new Failure(`${domain} accepts no mail (null MX)`, ExitCode.unreachable);
    return hosts.slice(0, SERVERS_MAX);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code = '' } = error as { code?: string };
    throw new Failure(
      isNoSuchCode(code)
        ? `${domain} has no MX record`
        : `the DNS does not answer for the MX records of ${domain} (${causesOf(error)})`,
      ExitCode.unreachable,
    );
  }
}
