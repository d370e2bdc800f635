/**
 * DNS lookups with a cache. "No such record" is an answer. Timeouts, REFUSED and SERVFAIL are
 * temporary failures, which say nothing about the name. When no name server answers at all, lookups
 * fail immediately until one answers again.
 */
import { z } from 'zod';

import { absoluteDnsName } from '../../core/network/dns-name.ts';
import type { TlsaRecord } from '../../core/deliverability/dane.ts';
import { reversedName } from '../../core/smtp/reversed-name.ts';
import { DeadlineError, withDeadline } from '../async/deadline.ts';
import { createFreshCache } from '../async/fresh-cache.ts';
import { type OutageWatch, watchForOutages } from '../async/outage-watch.ts';
import { askNameServers, checkServers, isNoSuchCode, type NameServers } from './name-servers.ts';

const ServerList = z.string().transform((text, context) => {
  const servers = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  try {
    checkServers(servers);
    return servers;
  } catch {
    context.addIssue({
      code: 'custom',
      message: `"${text}" is not a list of addresses such as 10.0.0.53,[fd00::53]:5353`,
    });
    return z.NEVER;
  }
});

export const DnsConfig = {
  DNS_SERVERS: ServerList.optional().describe(
    "IP addresses of name servers, each with an optional port, separated by commas; the system's when unset",
  ),
};

export type DnsOptions = {
  /** undefined for the servers of the system. */
  servers: readonly string[] | undefined;
  timeoutMs: number;
  /** Longest time in the cache; 0 for no cache. */
  cacheTtlMs: number;
};

export type DnsRecords = {
  A: string[];
  AAAA: string[];
  CNAME: string[];
  MX: { exchange: string; priority: number }[];
  PTR: string[];
  TLSA: TlsaRecord[];
  /** Each record as its character-strings. */
  TXT: string[][];
};
export type RecordType = keyof DnsRecords;

/** A lookup without records. `code` is that of node:dns: see {@link isNoSuchRecord}. */
export class DnsError extends Error {
  override readonly name = 'DnsError';
  readonly code: string;

  constructor(code: string, type: RecordType, domain: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0; // "no such record" is an answer: building its stack would cost more than the lookup
    super(`${code} for ${type} of ${domain}`);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
  }
}

/** Whether the DNS answered that there is no such record, as opposed to no answer. */
export const isNoSuchRecord = (error: unknown): boolean =>
  error instanceof DnsError && isNoSuchCode(error.code);

export type Dns = Disposable & {
  /** @throws DnsError also when there is no such record */
  resolve<T extends RecordType>(name: string, type: T): Promise<DnsRecords[T]>;
  /** Empty when there is no such record. @throws DnsError on temporary failures only */
  find<T extends RecordType>(name: string, type: T): Promise<DnsRecords[T]>;
  /**
   * The PTR names of an address. Its owner chooses them: they prove nothing until they resolve to
   * the same address. @throws DnsError on temporary failures only
   */
  namesOf(ip: string): Promise<string[]>;
};

type Answer = { records: unknown[]; ttlMs: number } | { code: string; ttlMs: number };

const CACHE_MAX_BYTES = 16 * 1024 * 1024;
const NO_SUCH_RECORD_TTL_MS = 60_000;
const FAILURE_TTL_MS = 5_000; // one email can need the same name several times
const ENTRY_BYTES = 200; // approximate overhead of an entry

export function createDns({ servers, timeoutMs, cacheTtlMs }: DnsOptions): Dns {
  const timeout = Math.ceil(timeoutMs / 3); // the second try takes twice as long
  const nameServers = askNameServers(servers, { timeoutMs: timeout, tries: 2 });
  const answers = createFreshCache<Answer>({
    maxSize: CACHE_MAX_BYTES,
    sizeOf: (answer, key) => ENTRY_BYTES + key.length + JSON.stringify(answer).length,
    freshMs: ({ ttlMs }) => Math.min(ttlMs, cacheTtlMs),
  });
  const watch = watchServers(servers, () => nameServers.cancel());

  const ask = async (name: string, type: RecordType): Promise<Answer> => {
    if (watch.isDown()) return { code: 'ETIMEOUT', ttlMs: 0 };
    try {
      return await withDeadline(timeoutMs, query(nameServers, name, type, cacheTtlMs));
    } catch (error) {
      const code = codeOf(error);
      if (isSilence(code)) watch.check();
      return { code, ttlMs: isNoSuchCode(code) ? NO_SUCH_RECORD_TTL_MS : FAILURE_TTL_MS };
    }
  };

  const resolve = async <T extends RecordType>(name: string, type: T): Promise<DnsRecords[T]> => {
    const absolute = absoluteDnsName(name);
    if (absolute === undefined)
      throw new DnsError('EBADNAME', type, 'a text that is not a DNS name');
    const answer = await answers.get(`${type} ${absolute}`, () => ask(absolute, type));
    if ('code' in answer) throw new DnsError(answer.code, type, name);
    return answer.records.map(copyOf) as DnsRecords[T];
  };

  const find = async <T extends RecordType>(name: string, type: T): Promise<DnsRecords[T]> => {
    try {
      return await resolve(name, type);
    } catch (error) {
      if (isNoSuchRecord(error)) return [];
      throw error;
    }
  };

  return {
    resolve,
    find,
    namesOf: async function namesOfAddress(ip) {
      const name = reversedName(ip);
      return name === undefined ? [] : await find(name, 'PTR');
    },
    [Symbol.dispose]: () => nameServers.cancel(),
  };
}

/** A record that the caller may change. */
const copyOf = (record: unknown): unknown =>
  Array.isArray(record)
    ? [...(record as unknown[])]
    : typeof record === 'object'
      ? { ...record }
      : record;

async function query(
  nameServers: NameServers,
  name: string,
  type: RecordType,
  defaultTtlMs: number,
): Promise<Answer> {
  if (type === 'TLSA') return { records: await nameServers.tlsa(name), ttlMs: defaultTtlMs };
  if (type !== 'A' && type !== 'AAAA')
    return {
      records: (await nameServers.resolve(name, type)) as unknown[],
      ttlMs: defaultTtlMs,
    };
  const records = await (type === 'A' ? nameServers.v4(name) : nameServers.v6(name));
  return {
    records: records.map(({ address }) => address),
    ttlMs: Math.max(1, Math.min(...records.map(({ ttl }) => ttl))) * 1000,
  };
}

const PROBE_TIMEOUT_MS = 1_000;

/** A query for the root decides whether any name server answers: each answers it in some way. */
function watchServers(servers: readonly string[] | undefined, onOutage: () => void): OutageWatch {
  const prober = askNameServers(servers, { timeoutMs: PROBE_TIMEOUT_MS, tries: 1 });
  const probe = async () => {
    await prober.root().catch((error: unknown) => {
      if (isSilence(codeOf(error))) throw error;
    });
  };
  return watchForOutages(probe, PROBE_TIMEOUT_MS, onOutage); // no query in flight can succeed
}

/** No name server has answered. */
const isSilence = (code: string): boolean => code === 'ETIMEOUT' || code === 'ECONNREFUSED';
const codeOf = (error: unknown): string =>
  error instanceof DeadlineError ? 'ETIMEOUT' : ((error as { code?: string }).code ?? 'EUNKNOWN');
