/** Which accounts have a label of their own in the metrics: the busiest, as many as the setting allows. All others share one, so labels stay bounded whoever sends mail. */
import { z } from 'zod';

export const AccountLabelsConfig = {
  METRICS_ACCOUNTS: z.coerce
    .number()
    .int()
    .min(0)
    .max(1_000)
    .default(20)
    .describe(
      'accounts, the busiest, that each process shows by name in its metrics; all others are counted as `other`; 0 shows none',
    ),
};

/** Label of the accounts that have none of their own. */
export const OTHER_ACCOUNTS = 'other';

export type AccountLabels = {
  /** The label for something that happens to this account now. */
  of(account: string): string;
};

type Options = {
  limit: number;
  /** Milliseconds since 1970. */
  now: () => number;
  /** The account has a label from now on: its series begin. */
  onGained: (account: string) => void;
  /** The account has lost its label to a busier one: its series end. */
  onLost: (account: string) => void;
};

/** Labels change hands this often at most: a series that comes and goes tells nothing. */
const REVIEW_MS = 600_000;
/** Accounts without a label that are watched for how busy they are. */
const MAX_WATCHED = 10_000;

export function createAccountLabels({ limit, now, onGained, onLost }: Options): AccountLabels {
  /** How busy each was lately: what happened to it, halved by each review. */
  let labelled = new Map<string, number>();
  const watched = new Map<string, number>();
  let reviewAt = now() + REVIEW_MS;

  const review = (): void => {
    const busiest = [...labelled, ...watched]
      .toSorted(([, one], [, other]) => other - one)
      .slice(0, limit); // among equals who has a label keeps it
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
        oneMore(labelled, account);
        return account;
      }
      if (watched.has(account) || watched.size < MAX_WATCHED) oneMore(watched, account);
      return OTHER_ACCOUNTS;
    },
  };
}

const oneMore = (weights: Map<string, number>, account: string) =>
  weights.set(account, (weights.get(account) ?? 0) + 1);
