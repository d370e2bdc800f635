/** What a check of `inlet doctor` found, and what to do about it. */

export type Finding = {
  check: string;
  result: 'ok' | 'warning' | 'failed' | 'skipped';
  finding: string;
  /** What to do; absent when nothing is wrong. */
  advice?: string;
};

export const ok = (check: string, finding: string): Finding => ({ check, result: 'ok', finding });
export const warning = (check: string, finding: string, advice: string): Finding => ({
  check,
  result: 'warning',
  finding,
  advice,
});
export const failed = (check: string, finding: string, advice: string): Finding => ({
  check,
  result: 'failed',
  finding,
  advice,
});
export const skipped = (check: string, finding: string): Finding => ({
  check,
  result: 'skipped',
  finding,
});
