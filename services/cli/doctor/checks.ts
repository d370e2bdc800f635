/** The checks of `inlet doctor`. Each resolves with what it found; none of them throws. */
import { askNameServers, isNoSuchCode, type NameServers } from '../../adapters/dns/name-servers.ts';
import { tlsaName, type TlsaRecord } from '../../core/deliverability/dane.ts';
import type { Fetch } from '../api/fetch.ts';
import { CLOCK_DIFFERS_MS, CLOCK_WRONG_MS } from '../../core/servers/clocks.ts';
import { causesOf } from '../terminal/fault-text.ts';
import { daneFinding } from './dane.ts';
import { failed, type Finding, ok, skipped, warning } from './finding.ts';
import {
  certificateOf,
  type CertificateFacts,
  DNS_TIMEOUT_MS,
  type HostPort,
  smtpFacts,
} from './probes.ts';

const CLOCK = { warning: 5, failed: 60 }; // seconds; receivers accept signatures for 300
const CERTIFICATE_DAYS = 14;
const DAY_MS = 86_400_000;
const SMTP_PORT = 25;

export async function checkApi(
  request: Fetch,
  apiUrl: string,
  token: string,
  ca: readonly string[],
): Promise<Finding[]> {
  const sentMs = Date.now();
  const call = new Request(`${apiUrl}/account`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(10_000),
  });
  const response = await request(call).catch((error: unknown) => causesOf(error));
  if (typeof response === 'string')
    return [
      failed('api', `${apiUrl}: ${response}`, 'check the URL, and whether the API is running'),
      ...(await certificateOfUrl('api certificate', apiUrl, ca, 'the Secret of the API')),
    ];
  const ms = Date.now() - sentMs;
  const api =
    response.status === 401
      ? failed('api', `${apiUrl} refuses the token`, 'inlet login stores another one')
      : response.status === 200 || response.status === 403
        ? ok('api', `${apiUrl} responds in ${ms} ms, and accepts the token`)
        : failed('api', `${apiUrl} responds with ${response.status}`, 'is it the URL of the API?');
  return [
    api,
    clockFinding(response.headers.get('date'), sentMs + ms / 2),
    await checkClocksOfApi(request, apiUrl),
    ...(await certificateOfUrl('api certificate', apiUrl, ca, 'the Secret of the API')),
  ];
}

/** Exported for its test. */
function clockFinding(date: string | null, nowMs: number): Finding {
  if (date === null) return skipped('clock', 'the API sends no Date header');
  const seconds = Math.round((nowMs - new Date(date).getTime() - 500) / 1_000); // whole seconds
  const distance = `${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} the API`;
  if (Math.abs(seconds) < CLOCK.warning) return ok('clock', 'agrees with the API');
  const advice = 'synchronize the clocks (NTP): receivers reject signatures that are 300 s old';
  return Math.abs(seconds) < CLOCK.failed
    ? warning('clock', distance, advice)
    : failed('clock', distance, advice);
}

/** How far the clock of the API is from those of MongoDB and NATS, as it says itself. */
async function checkClocksOfApi(request: Fetch, apiUrl: string): Promise<Finding> {
  const url = new URL('/readyz', apiUrl).href;
  const requested = request(new Request(url, { signal: AbortSignal.timeout(10_000) }));
  const ready = await requested.then((response) => response.json()).catch(() => ({}));
  return clocksFinding((ready as { clock_ahead_seconds?: unknown } | null)?.clock_ahead_seconds);
}

/** Exported for its test. */
export function clocksFinding(offsets: unknown): Finding {
  const check = 'clock of the API';
  const known = Object.entries(typeof offsets === 'object' && offsets !== null ? offsets : {})
    .map(([server, ahead]) => ({ server, seconds: Number(ahead) }))
    .filter(({ seconds }) => Number.isFinite(seconds));
  if (known.length === 0) return skipped(check, 'the API does not say how its clock compares');
  const differing = known.filter(({ seconds }) => Math.abs(seconds) * 1_000 > CLOCK_DIFFERS_MS);
  if (differing.length === 0)
    return ok(check, `agrees with ${known.map(({ server }) => server).join(' and ')}`);
  const distances = differing.map(
    ({ server, seconds }) =>
      `${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} ${server}`,
  );
  const isWrong = differing.some(({ seconds }) => Math.abs(seconds) * 1_000 > CLOCK_WRONG_MS);
  return (isWrong ? failed : warning)(
    check,
    distances.join(', '),
    'synchronize the clocks of these servers (NTP): docs/runbooks/InletClocksDiffer.md',
  );
}

/** No findings for a URL without TLS. */
export async function certificateOfUrl(
  check: string,
  url: string,
  ca: readonly string[],
  setting: string,
): Promise<Finding[]> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:') return [];
  const target = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 443 };
  try {
    const facts = await certificateOf(target, ca);
    return [certificateFinding(check, hostname, facts, `fix it, or see ${setting}`)];
  } catch (error) {
    return [failed(check, `${hostname}: ${causesOf(error)}`, 'is it running, and reachable?')];
  }
}

function certificateFinding(
  check: string,
  host: string,
  { fault, validTo, issuer }: CertificateFacts,
  advice: string,
): Finding {
  const days = Math.floor((validTo.getTime() - Date.now()) / DAY_MS);
  const until = `valid until ${validTo.toISOString().slice(0, 10)}, issued by ${issuer}`;
  if (fault !== undefined) return failed(check, `${host}: ${fault} (${until})`, advice);
  return days < CERTIFICATE_DAYS
    ? warning(check, `${host}: ${until}, ${days} days left`, 'renew it')
    : ok(check, `${host}: ${until}`);
}

/**
 * The MX records of a domain, the addresses of its mail servers, and the best one from here.
 * @param options for tests: the name servers, the port, and authorities to trust
 */
export async function checkMail(
  domain: string,
  options: { servers?: string[]; port?: number; ca?: readonly string[] } = {},
): Promise<Finding[]> {
  const { servers, port = SMTP_PORT, ca = [] } = options;
  const dns = askNameServers(servers, { timeoutMs: DNS_TIMEOUT_MS, tries: 2 });
  let hosts: string[];
  try {
    hosts = await dns.mailServers(domain);
  } catch (error) {
    return [
      failed(
        'mx',
        `${domain} has no MX record (${causesOf(error).replace(/^query\w+ /, '')})`,
        `publish an MX record for ${domain} that names the gateway`,
      ),
    ];
  }
  if (hosts.length === 0)
    return [failed('mx', `${domain} accepts no mail (null MX)`, 'publish another MX record')];
  const addresses = await Promise.all(hosts.map((host) => addressesOf(dns, host)));
  const findings = [
    ok('mx', `${domain}: ${hosts.join(', ')}`),
    ...hosts.flatMap((host, i) => (addresses[i]?.length ? [] : [noAddress(host)])),
  ];
  const best = addresses.findIndex(({ length }) => length > 0);
  const [name = '', [address] = []] = [hosts[best], addresses[best]];
  if (address === undefined) return findings;
  const tlsa = await tlsaOf(dns, name);
  const target = { host: address, port };
  return [...findings, ...(await checkGateway('port 25', target, ca, { name, tlsa }))];
}

const noAddress = (host: string): Finding =>
  failed(
    'mx address',
    `${host} has neither an A nor an AAAA record`,
    `publish the address of the gateway for ${host}`,
  );

async function addressesOf(dns: NameServers, host: string): Promise<string[]> {
  const found = await Promise.allSettled([dns.v4(host), dns.v6(host)]);
  return found.flatMap((one) =>
    one.status === 'fulfilled' ? one.value.map(({ address }) => address) : [],
  );
}

/** null when the DNS does not respond. */
const tlsaOf = (dns: NameServers, host: string): Promise<TlsaRecord[] | null> =>
  dns
    .tlsa(tlsaName(host))
    .catch(({ code }: { code?: string }) => (isNoSuchCode(code ?? '') ? [] : null));

/** @param mx the name of the server and of its certificate; default: the one in its greeting */
export async function checkGateway(
  check: string,
  target: HostPort,
  ca: readonly string[],
  mx?: { name: string; tlsa: readonly TlsaRecord[] | null },
): Promise<Finding[]> {
  const name = mx?.name;
  const at = `${name === undefined ? '' : `${name}, `}${target.host}:${target.port}`;
  try {
    const { banner, offersTls, certificate } = await smtpFacts(target, ca, name);
    if (!banner.startsWith('220'))
      return [failed(check, `${at}: ${banner || 'no greeting'}`, 'see the log of the gateway')];
    if (!offersTls)
      return [warning(check, `${at} does not offer STARTTLS`, 'set gateway.tls: see docs/smtp.md')];
    if (certificate === undefined)
      return [failed(check, `${at} refuses STARTTLS`, 'see the log of the gateway')];
    const advice =
      'most senders deliver nevertheless, but not those that verify it (MTA-STS): see docs/smtp.md';
    const finding = certificateFinding(
      `${check} certificate`,
      name ?? banner.split(' ')[1] ?? target.host,
      certificate,
      advice,
    );
    return [
      ok(check, `${at} greets, and offers STARTTLS`),
      // senders need not verify it (RFC 7435)
      finding.result === 'failed' ? { ...finding, result: 'warning' } : finding,
      ...(mx ? [daneFinding(mx.name, mx.tlsa, certificate.der)] : []),
    ];
  } catch (error) {
    return [
      failed(
        check,
        `${at}: ${causesOf(error)}`,
        target.port === SMTP_PORT
          ? 'many networks block outgoing connections to port 25: try from another one. Then ' +
              'check the load balancer of the gateway'
          : 'is the gateway running?',
      ),
    ];
  }
}
