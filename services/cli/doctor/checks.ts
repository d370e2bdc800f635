/** The checks of `inlet doctor`. Each resolves with what it found; none of them throws. */
import { resolveMx } from 'node:dns/promises';

import type { Fetch } from '../api/fetch.ts';
import { causesOf } from '../fault-text.ts';
import { failed, type Finding, ok, skipped, warning } from './finding.ts';
import { certificateOf, converse, type Place, reach, smtpGreeting } from './probes.ts';

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
    ...(await certificateOfUrl('api certificate', apiUrl, ca, 'the Secret of the API')),
  ];
}

/** Exported for its test. */
export function clockFinding(date: string | null, nowMs: number): Finding {
  if (date === null) return skipped('clock', 'the API sends no Date header');
  const seconds = Math.round((nowMs - new Date(date).getTime() - 500) / 1_000); // whole seconds
  const distance = `${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} the API`;
  if (Math.abs(seconds) < CLOCK.warning) return ok('clock', 'agrees with the API');
  const advice = 'synchronize the clocks (NTP): receivers reject signatures that are 300 s old';
  return Math.abs(seconds) < CLOCK.failed
    ? warning('clock', distance, advice)
    : failed('clock', distance, advice);
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
  const place = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 443 };
  try {
    const { fault, validTo, issuer } = await certificateOf(place, ca);
    const days = Math.floor((validTo.getTime() - Date.now()) / DAY_MS);
    const until = `valid until ${validTo.toISOString().slice(0, 10)}, issued by ${issuer}`;
    if (fault !== undefined)
      return [failed(check, `${hostname}: ${fault} (${until})`, `fix it, or see ${setting}`)];
    return [
      days < CERTIFICATE_DAYS
        ? warning(check, `${hostname}: ${until}, ${days} days left`, 'renew it')
        : ok(check, `${hostname}: ${until}`),
    ];
  } catch (error) {
    return [failed(check, `${hostname}: ${causesOf(error)}`, 'is it running, and reachable?')];
  }
}

/** The MX records of a domain, and the best mail server from here. */
export async function checkMail(domain: string): Promise<Finding[]> {
  let hosts: { exchange: string; priority: number }[];
  try {
    hosts = (await resolveMx(domain)).toSorted((one, other) => one.priority - other.priority);
  } catch (error) {
    return [
      failed(
        'mx',
        `${domain} has no MX record (${causesOf(error)})`,
        `publish an MX record for ${domain} that names the gateway`,
      ),
    ];
  }
  const [best] = hosts;
  if (best === undefined || best.exchange === '')
    return [failed('mx', `${domain} accepts no mail (null MX)`, 'publish another MX record')];
  const names = hosts.map(({ exchange }) => exchange).join(', ');
  return [
    ok('mx', `${domain}: ${names}`),
    await checkGateway('port 25', { host: best.exchange, port: SMTP_PORT }),
  ];
}

export async function checkGateway(check: string, place: Place): Promise<Finding> {
  const name = `${place.host}:${place.port}`;
  try {
    const { banner, offersTls } = await smtpGreeting(place);
    if (!banner.startsWith('220'))
      return failed(check, `${name}: ${banner || 'no greeting'}`, 'see the log of the gateway');
    return offersTls
      ? ok(check, `${name} greets, and offers STARTTLS`)
      : warning(check, `${name} does not offer STARTTLS`, 'set gateway.tls: see docs/smtp.md');
  } catch (error) {
    return failed(
      check,
      `${name}: ${causesOf(error)}`,
      place.port === SMTP_PORT
        ? 'many networks block outgoing connections to port 25: try from another one. Then check ' +
            'the load balancer of the gateway'
        : 'is the gateway running?',
    );
  }
}

export async function checkNats(url: string | undefined): Promise<Finding> {
  if (!url) return skipped('nats', 'NATS_URL is not set');
  const place = placeOf(url, 4222);
  try {
    const [, info = '{}'] = /^INFO (\{.*\})/m.exec(await converse(place, () => undefined)) ?? [];
    const { version, jetstream } = JSON.parse(info) as { version?: string; jetstream?: boolean };
    if (version === undefined) return failed('nats', `${place.host} is no NATS`, 'check NATS_URL');
    return jetstream
      ? ok('nats', `${place.host}:${place.port}, version ${version}, with JetStream`)
      : failed('nats', `version ${version} without JetStream`, 'start nats-server with JetStream');
  } catch (error) {
    return failed('nats', `${place.host}:${place.port}: ${causesOf(error)}`, 'is it running?');
  }
}

/** Whether one of its hosts accepts connections. */
export async function checkMongo(uri: string | undefined): Promise<Finding> {
  if (!uri) return skipped('mongodb', 'MONGODB_URI is not set');
  if (uri.startsWith('mongodb+srv:')) return skipped('mongodb', 'the URI names no host');
  const hosts = /^mongodb:\/\/(?:[^@/]*@)?([^/?]+)/.exec(uri)?.[1]?.split(',') ?? [];
  const faults: string[] = [];
  for (const host of hosts) {
    try {
      await reach(placeOf(`mongodb://${host}`, 27_017));
      return ok('mongodb', `${host} accepts connections`);
    } catch (error) {
      faults.push(`${host}: ${causesOf(error)}`);
    }
  }
  return failed('mongodb', faults.join('; ') || 'the URI names no host', 'is it running?');
}

function placeOf(url: string, defaultPort: number): Place {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || defaultPort };
}
