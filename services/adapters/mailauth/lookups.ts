/**
 * The look-ups of one mail, with an end to their time. Each question is asked once. What a sender chooses may use up a part of the time only, the last
 * is kept for DMARC policies: or slow names of its own could hide what the owner of From asks for.
 */
import {
  type Dns,
  DnsError,
  type DnsRecords,
  isNoSuchRecord,
  type RecordType,
} from '../dns/resolver.ts';

export type Resolve = Dns['resolve'];

export type LookUps = Disposable & {
  /** For all but policies. */
  resolve: Resolve;
  resolvePolicy: Resolve;
  /** Empty when there is nothing, undefined when that could not be found out. */
  find<T extends RecordType>(name: string, type: T): Promise<DnsRecords[T] | undefined>;
  /** Whether a look-up of this name has failed for now. */
  hasFailed(name: string): boolean;
  /** Whether nothing but policies has time left: not for reading on either. */
  isOver(): boolean;
};

const BEFORE_POLICY = 0.6;
/** Reading goes on beside the look-ups, and a large mail needs its time. */
const READING = 0.8;
/** The longest record that is read: SPF, DMARC and keys of 16,384 bits are shorter, and what is longer costs too much to take apart. */
const TEXT_MAX_CHARS = 4 * 1024;

/** Look-ups that fail when the time of a mail is up, those under way included. */
export function startLookUps(dns: Pick<Dns, 'resolve'>, budgetMs: number): LookUps {
  const asked = new Map<string, Promise<DnsRecords[RecordType]>>();
  const failed = new Set<string>();
  const readUntil = performance.now() + budgetMs * READING;
  const [forMost, forAll] = [createDeadline(budgetMs * BEFORE_POLICY), createDeadline(budgetMs)];

  const ask = <T extends RecordType>(name: string, type: T): Promise<DnsRecords[T]> => {
    const key = `${type} ${asciiLower(name)}`;
    const answer = (asked.get(key) ?? dns.resolve(name, type)) as Promise<DnsRecords[T]>;
    asked.set(key, answer);
    return answer;
  };
  const isUnasked = (name: string, type: RecordType) => !asked.has(`${type} ${asciiLower(name)}`);

  const resolveUntil =
    (deadline: Deadline): Resolve =>
    async (name, type) => {
      try {
        if (deadline.isOver() && isUnasked(name, type)) throw new DnsError('ETIMEOUT', type, name);
        const records = await Promise.race([ask(name, type), deadline.reached]);
        if (records === undefined) throw new DnsError('ETIMEOUT', type, name);
        return readable(records);
      } catch (error) {
        if (!isNoSuchRecord(error)) failed.add(asciiLower(name));
        throw isImpossibleKey(error, name) ? new DnsError('ENOTFOUND', type, name) : error;
      }
    };
  const resolve = resolveUntil(forMost);
  return {
    resolve,
    resolvePolicy: resolveUntil(forAll),
    find: (name, type) =>
      resolve(name, type).catch((error: unknown) => (isNoSuchRecord(error) ? [] : undefined)),
    hasFailed: (name) => failed.has(asciiLower(name)),
    isOver: () => performance.now() >= readUntil,
    [Symbol.dispose]: () => {
      forMost.clear();
      forAll.clear();
    },
  };
}

/** Of a name that no key can have mailauth says temperror, as if it could be there later. */
const isImpossibleKey = (error: unknown, name: string) =>
  error instanceof DnsError &&
  error.code === 'EBADNAME' &&
  asciiLower(name).includes('._domainkey.');

const readable = <T extends RecordType>(records: DnsRecords[T]): DnsRecords[T] =>
  (records as unknown[]).filter(
    (record) =>
      !Array.isArray(record) ||
      (record as string[]).reduce((sum, { length }) => sum + length, 0) <= TEXT_MAX_CHARS,
  ) as DnsRecords[T];

type Deadline = ReturnType<typeof createDeadline>;

function createDeadline(ms: number) {
  const { promise: reached, resolve } = Promise.withResolvers<undefined>();
  const endsAt = performance.now() + ms;
  const timer = setTimeout(() => resolve(undefined), ms);
  return { reached, isOver: () => performance.now() >= endsAt, clear: () => clearTimeout(timer) };
}

export const asciiLower = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
