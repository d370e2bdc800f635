/**
 * Chooses the accounts with their own label in the metrics: the busiest, up to a limit. All others share
 * one label, so the number of series is bounded.
 */
import { WholeNumber } from './config.ts';

export const AccountLabelsConfig = {
  METRICS_ACCOUNTS: WholeNumber.min(0)
    .max(1_000)
    .default(20)
    .describe(
      'how many accounts, the busiest, each process names in its metrics; all others count as `other`; 0 for none',
    ),
};

/** Label shared by all other accounts. */
export const OTHER_ACCOUNTS = 'other';

type AccountLabels = {
  /** The label for an event of this account now. */
  of(account: string): string;
};

type Options = {
  limit: number;
  /** Milliseconds since 1970. */
  now: () => number;
  /** The account gets its own label: its series begin. */
  onGained: (account: string) => void;
  /** A busier account took its label: its series end. */
  onLost: (account: string) => void;
};

/** Labels change at most this often: a series that starts and stops often is useless. */
const REVIEW_MS = 600_000;
/** Limit of accounts without a label whose activity is counted. */
const MAX_WATCHED = 10_000;

export function createAccountLabels({ limit, now, onGained, onLost }: Options): AccountLabels {
  /** Recent activity of each account: its number of events, halved at every review. */
  let labelled = new Map<string, number>();
  const watched = new Map<string, number>();
  let reviewAt = now() + REVIEW_MS;

  const review = (): void => {
    const busiest = [...labelled, ...watched]
      .toSorted(([, one], [, other]) => other - one)
      .slice(0, limit); // the sort is stable: among equals, an account keeps its label
    const next = new Map(busiest.map(([account, weight]) => [account, weight / 2]));
    for (const account of labelled.keys()) if (!next.has(account)) onLost(account);
    for (const account of next.keys()) if (!labelled.has(account)) onGained(account);
    labelled = next;
    watched.clear();
    reviewAt = now() + REVIEW_MS;
  };

  return {
    of: (account) => {
      if (now() >= reviewAt) review();
      if (!labelled.has(account) && labelled.size < limit) onGained(account);
      if (labelled.has(account) || labelled.size < limit) {
        increment(labelled, account);
        return account;
      }
      if (watched.has(account) || watched.size < MAX_WATCHED) increment(watched, account);
      return OTHER_ACCOUNTS;
    },
  };
}

const increment = (weights: Map<string, number>, account: string) =>
  weights.set(account, (weights.get(account) ?? 0) + 1);
