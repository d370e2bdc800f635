/** Answers the content threads, which have no connection to MongoDB: which authors are known. */
import type { KnownAuthors } from '../../adapters/mongo/address/known-authors.ts';
import { withDeadline } from '../../adapters/async/deadline.ts';
import { createInterruptionLog } from '../../adapters/process/interruption-log.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { KnownAuthor, Sightings } from '../../core/decision/known-author.ts';

export type AuthorAnswers = {
  /** Never throws. Null: MongoDB does not answer in time. */
  find(keys: readonly string[]): Promise<Sightings | null>;
  /** Never throws: an author whom MongoDB did not store is first seen again. */
  add(authors: readonly KnownAuthor[]): Promise<void>;
};

/** The sender waits for its reply as long. */
const TIMEOUT_MS = 2_000;

export function createAuthorAnswers(
  store: Pick<KnownAuthors, 'find' | 'add'>,
  clock: () => Date,
  log: Log,
): AuthorAnswers {
  const interruptions = createInterruptionLog(log);
  const inTime = async <Result>(work: Promise<Result>): Promise<Result | null> => {
    try {
      return await withDeadline(TIMEOUT_MS, work);
    } catch (error) {
      interruptions.report('warn', 'known_authors.failed', { error });
      return null;
    }
  };
  return {
    find: (keys) => inTime(store.find(keys)),
    add: async (authors) => {
      if (authors.length === 0) return;
      await inTime(Promise.all(authors.map((author) => store.add(author, clock()))));
    },
  };
}
