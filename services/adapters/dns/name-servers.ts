/**
 * The only door to node:dns: each name is checked before it is asked for (D110). A text that is no
 * name is EBADNAME, without a query.
 */
import { lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

import type { TlsaRecord } from '../../core/deliverability/dane.ts';
import { absoluteDnsName } from '../../core/network/dns-name.ts';

/** As node:dns reports it. */
const badName = () =>
  Object.assign(new Error('the text that was looked up is not a DNS name'), { code: 'EBADNAME' });

/** NXDOMAIN; no record of this type; a name that cannot exist. */
const NO_SUCH_RECORD = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);
/** Whether a code of node:dns means that there is no such record, as opposed to no answer. */
export const isNoSuchCode = (code: string): boolean => NO_SUCH_RECORD.has(code);

/** @throws EBADNAME */
function checked(text: string): string {
  const name = absoluteDnsName(text);
  if (name === undefined) throw badName();
  return name;
}

export type NameServers = ReturnType<typeof askNameServers>;

/** @param servers addresses, each with an optional port; undefined for those of the system */
export function askNameServers(
  servers: readonly string[] | undefined,
  options: { timeoutMs: number; tries: number },
) {
  const resolver = new Resolver({ timeout: options.timeoutMs, tries: options.tries });
  if (servers !== undefined) resolver.setServers(servers);
  return {
    resolve: async (name: string, type: 'CNAME' | 'MX' | 'PTR' | 'TXT') =>
      await resolver.resolve(checked(name), type),
    /** In the order in which a sender asks them (RFC 5321 §5.1); none for a null MX (RFC 7505). */
    mailServers: async (name: string): Promise<string[]> => {
      const records = await resolver.resolveMx(checked(name));
      const hosts = records.toSorted((one, other) => one.priority - other.priority);
      return hosts[0]?.exchange ? hosts.map(({ exchange }) => exchange) : [];
    },
    tlsa: async (name: string): Promise<TlsaRecord[]> =>
      (await resolver.resolveTlsa(checked(name))).map(({ certUsage, selector, match, data }) => ({
        usage: certUsage,
        selector,
        matching: match,
        data: new Uint8Array(data),
      })),
    srv: async (name: string) => await resolver.resolveSrv(checked(name)),
    /** With times to live, which node:dns knows of these two types only. */
    v4: async (name: string) => await resolver.resolve4(checked(name), { ttl: true }),
    v6: async (name: string) => await resolver.resolve6(checked(name), { ttl: true }),
    /** Each name server answers this in some way. */
    root: async () => await resolver.resolve('.', 'NS'),
    cancel: () => resolver.cancel(),
  };
}

/** @throws for a text that is not a list of addresses with optional ports */
export const checkServers = (servers: readonly string[]): void =>
  new Resolver().setServers(servers);

/**
 * How sockets look up a host: by the system, with its hosts file and search domains. A socket does
 * not ask for an address that is written as a number.
 */
export const lookUpHost: LookupFunction = (hostname, options, callback) => {
  if (absoluteDnsName(hostname) === undefined)
    return process.nextTick(() => callback(badName(), '', 0));
  lookup(hostname, options, callback);
};
