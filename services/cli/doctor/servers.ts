/** What `inlet doctor` finds out about NATS and MongoDB. */
import { askNameServers } from '../../adapters/dns/name-servers.ts';
import {
  isOpenOnLoopback,
  mendedVersion,
  type ServerKind,
} from '../../core/servers/server-versions.ts';
import { causesOf } from '../terminal/fault-text.ts';
import { failed, type Finding, ok, skipped, warning } from './finding.ts';
import { converse, DNS_TIMEOUT_MS, type HostPort, reach } from './probes.ts';

type NatsSettings = { url: string | undefined; hasLogin: boolean };

export async function checkNats({ url, hasLogin }: NatsSettings): Promise<Finding> {
  if (!url) return skipped('nats', 'NATS_URL is not set');
  const target = hostPortOf(url, 4222);
  try {
    const [, info = '{}'] = /^INFO (\{.*\})/m.exec(await converse(target, () => undefined)) ?? [];
    const { version, jetstream } = JSON.parse(info) as { version?: string; jetstream?: boolean };
    if (version === undefined)
      return failed('nats', `${target.host} is not a NATS server`, 'check NATS_URL');
    return jetstream
      ? (holes('nats', version, !hasLogin && isOpenOnLoopback(url)) ??
          ok('nats', `${target.host}:${target.port}, version ${version}, with JetStream`))
      : failed('nats', `version ${version} without JetStream`, 'start nats-server with JetStream');
  } catch (error) {
    return failed('nats', `${target.host}:${target.port}: ${causesOf(error)}`, 'is it running?');
  }
}

/** Whether one of its hosts accepts connections, and its version where the driver is at hand. */
export async function checkMongo(
  uri: string | undefined,
  askVersion?: (uri: string) => Promise<string>,
): Promise<Finding> {
  if (!uri) return skipped('mongodb', 'MONGODB_URI is not set');
  let hosts: string[];
  try {
    hosts = await mongoHosts(uri);
  } catch (error) {
    return failed('mongodb', causesOf(error), 'check the name in MONGODB_URI, and DNS');
  }
  const faults: string[] = [];
  for (const host of hosts) {
    try {
      await reach(hostPortOf(`mongodb://${host}`, 27_017));
    } catch (error) {
      faults.push(`${host}: ${causesOf(error)}`);
      continue;
    }
    const accepts = `${host} accepts connections`;
    if (askVersion === undefined) return ok('mongodb', accepts);
    try {
      const version = await askVersion(uri);
      const isOpen = isOpenOnLoopback(uri);
      return holes('mongodb', version, isOpen) ?? ok('mongodb', `${accepts}, version ${version}`);
    } catch (error) {
      const advice = 'check user, password and replica set in MONGODB_URI, and MONGODB_CA_FILE';
      return warning('mongodb', `${accepts}, but no login: ${causesOf(error)}`, advice);
    }
  }
  return failed('mongodb', faults.join('; ') || 'the URI names no host', 'is it running?');
}

/** @param isOpen whether it is one for development, in which a hole reveals nothing more (D298) */
function holes(kind: ServerKind, version: string, isOpen: boolean): Finding | undefined {
  const lowest = mendedVersion(kind, version);
  if (lowest === undefined || isOpen) return undefined;
  const advice = `upgrade it to ${lowest} or later: docs/upgrade.md#supported-versions`;
  return warning(kind, `version ${version} has known security holes`, advice);
}

/** Each with its port, if the URI or DNS has one. */
async function mongoHosts(uri: string): Promise<string[]> {
  const [, scheme, names = ''] = /^mongodb(\+srv)?:\/\/(?:[^@/]*@)?([^/?]+)/.exec(uri) ?? [];
  if (scheme === undefined) return names.split(',').filter((name) => name !== '');
  const dns = askNameServers(undefined, { timeoutMs: DNS_TIMEOUT_MS, tries: 2 });
  const records = await dns.srv(`_mongodb._tcp.${names}`);
  return records.map(({ name, port }) => `${name}:${port}`);
}

function hostPortOf(url: string, defaultPort: number): HostPort {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || defaultPort };
}
