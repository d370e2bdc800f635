/**
 * How much CPU time the expressions of an account may use, for each email and for each minute. When
 * it is used up, only the expressions of this account are not evaluated (D307).
 */
/** For each email. */
export const EMAIL_CPU_MS = 200;
/** For each minute of a gateway. */
export const MINUTE_CPU_MS = 5_000;
const MINUTE_MS = 60_000;

/** One recipient's view of it: all recipients of an account have the time together. */
export type Budget = {
  isUsedUp(): boolean;
  /** Counts the time of this work. */
  charge<T>(work: () => T): T;
  /** Counts nothing within `charge`: the content of the email takes this time, not the expression. */
  exempt<T>(work: () => T): T;
  /** An expression was not evaluated, or not to its end. */
  markIncomplete(): void;
  isIncomplete(): boolean;
  /** A rule that tags was not evaluated: `tags` may lack some from now on. */
  markTagsMissing(): void;
  areTagsMissing(): boolean;
};

/** For the recipients of one email. */
export type BudgetOf = (accountId: string) => Budget;
/** Called for each email. */
export type EmailBudgets = () => BudgetOf;

type BudgetOptions = {
  /** CPU time of this thread. */
  cpuMs: () => number;
  nowMs: () => number;
  /** The time that each account has in this thread. */
  minuteCpuMs: number;
  /** An account has no time left; called once for each email. */
  onUsedUp?: (accountId: string) => void;
};

export function createEmailBudgets({
  cpuMs,
  nowMs,
  minuteCpuMs,
  onUsedUp,
}: BudgetOptions): EmailBudgets {
  /** Used in this minute. */
  const spentMs = new Map<string, number>();
  let minuteEndsMs = 0;
  const inMinute = (accountId: string): number => {
    if (nowMs() >= minuteEndsMs) {
      spentMs.clear();
      minuteEndsMs = nowMs() + MINUTE_MS;
    }
    return spentMs.get(accountId) ?? 0;
  };

  return function emailBudgets() {
    const accounts = new Map<string, { spentMs: number; isReported: boolean }>();
    return function budgetOf(accountId) {
      const account = accounts.get(accountId) ?? { spentMs: 0, isReported: false };
      accounts.set(accountId, account);
      const isUsedUp = () => {
        const isOver = account.spentMs >= EMAIL_CPU_MS || inMinute(accountId) >= minuteCpuMs;
        if (isOver && !account.isReported) onUsedUp?.(accountId);
        account.isReported ||= isOver;
        return isOver;
      };
      const spend = (ms: number) => {
        account.spentMs += ms;
        spentMs.set(accountId, inMinute(accountId) + ms);
        isUsedUp();
      };
      return budget(cpuMs, isUsedUp, spend);
    };
  };
}

function budget(cpuMs: () => number, isUsedUp: () => boolean, spend: (ms: number) => void): Budget {
  let exemptMs = 0;
  let isIncomplete = false;
  let areTagsMissing = false;
  return {
    isUsedUp,
    charge(work) {
      const before = cpuMs() - exemptMs;
      try {
        return work();
      } finally {
        spend(cpuMs() - exemptMs - before);
      }
    },
    exempt(work) {
      const before = cpuMs();
      try {
        return work();
      } finally {
        exemptMs += cpuMs() - before;
      }
    },
    markIncomplete: () => void (isIncomplete = true),
    isIncomplete: () => isIncomplete,
    markTagsMissing: () => void (areTagsMissing = true),
    areTagsMissing: () => areTagsMissing,
  };
}

/** Nothing is evaluated. */
export const noBudget: BudgetOf = () =>
  budget(
    () => 0,
    () => true,
    () => undefined,
  );
