/**
 * The lookups of one email, with a deadline. Each question is asked once. Lookups of names that the
 * sender chose get only a part of the time. The rest is reserved for DMARC policies: otherwise a
 * sender could hide the policy of the From domain behind slow names of its own.
 */
import {
  type Dns,
  DnsError,
  type DnsRecords,
  isNoSuchRecord,
  type RecordType,
} from '../dns/resolver.ts';
import { resumeStep } from '../threads/job.ts';

type Resolve = Dns['resolve'];

export type LookUps = Disposable & {
  /** Looks up everything except policies. */
  resolve: Resolve;
  resolvePolicy: Resolve;
  /** Empty when there is no record, undefined when the lookup failed. */
  find<T extends RecordType>(name: string, type: T): Promise<DnsRecords[T] | undefined>;
  /** Whether a lookup of this name failed temporarily. */
  hasFailed(name: string): boolean;
  /** Whether any lookup failed temporarily. */
  haveFailed(): boolean;
  /** Whether only policies have time left. Reading the body stops then too. */
  isOver(): boolean;
};

const BEFORE_POLICY = 0.6;
/** The body is read during the lookups, and a large email needs time. */
const READING = 0.8;
/**
 * Longer records are ignored: SPF, DMARC and keys of 16,384 bits are shorter, and parsing longer
 * ones is expensive.
 */
const TEXT_MAX_CHARS = 4 * 1024;

/** Lookups that fail at the deadline of the email, including those in flight. */
export function startLookUps(dns: Pick<Dns, 'resolve'>, budgetMs: number): LookUps {
  const requested = new Map<string, Promise<DnsRecords[RecordType]>>();
  const failed = new Set<string>();
  const readUntil = performance.now() + budgetMs * READING;
  const [forMost, forAll] = [createDeadline(budgetMs * BEFORE_POLICY), createDeadline(budgetMs)];

  const ask = <T extends RecordType>(name: string, type: T): Promise<DnsRecords[T]> => {
    const key = `${type} ${asciiLower(name)}`;
    const answer = (requested.get(key) ?? dns.resolve(name, type)) as Promise<DnsRecords[T]>;
    requested.set(key, answer);
    return answer;
  };
  const isUnasked = (name: string, type: RecordType) =>
    !requested.has(`${type} ${asciiLower(name)}`);

  const resolveUntil =
    (deadline: Deadline): Resolve =>
    async (name, type) => {
      try {
        if (deadline.isOver() && isUnasked(name, type)) throw new DnsError('ETIMEOUT', type, name);
        const records = await Promise.race([ask(name, type), deadline.reached()]);
        if (records === undefined) throw new DnsError('ETIMEOUT', type, name);
        return readable(records);
      } catch (error) {
        if (!isNoSuchRecord(error)) failed.add(asciiLower(name));
        throw error;
      } finally {
        resumeStep(); // the library reads the answer next
      }
    };
  const resolve = resolveUntil(forMost);
  return {
    resolve,
    resolvePolicy: resolveUntil(forAll),
    find: (name, type) =>
      resolve(name, type).catch((error: unknown) => (isNoSuchRecord(error) ? [] : undefined)),
    hasFailed: (name) => failed.has(asciiLower(name)),
    haveFailed: () => failed.size > 0,
    isOver: () => performance.now() >= readUntil,
    [Symbol.dispose]: () => {
      forMost.clear();
      forAll.clear();
    },
  };
}

const readable = <T extends RecordType>(records: DnsRecords[T]): DnsRecords[T] =>
  (records as unknown[]).filter(
    (record) =>
      !Array.isArray(record) ||
      (record as string[]).reduce((sum, { length }) => sum + length, 0) <= TEXT_MAX_CHARS,
  ) as DnsRecords[T];

type Deadline = ReturnType<typeof createDeadline>;

/** Its timer starts with the first wait: most emails need no lookup. */
function createDeadline(ms: number) {
  const endsAt = performance.now() + ms;
  let timer: NodeJS.Timeout | undefined;
  let reached: Promise<undefined> | undefined;
  return {
    reached: (): Promise<undefined> =>
      (reached ??= new Promise((resolve) => {
        timer = setTimeout(() => resolve(undefined), endsAt - performance.now());
      })),
    isOver: () => performance.now() >= endsAt,
    clear: () => clearTimeout(timer),
  };
}

export const asciiLower = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
