/**
 * What email an address expects, and when its absence is silence (D270). The address stores until
 * when it waits: each expected email moves that time, and a sweep of the API notices when it has passed.
 */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import { durationMs } from '../time/duration.ts';
import { ExpressionText } from '../text/expression-text.ts';

const DEFAULT_GRACE = '1h';

/** 1m to 999d: the pattern is the limit, so that every schema has it. */
const Every = z
  .string()
  .regex(
    /^[1-9][0-9]{0,2}[mhd]$/,
    'must be 1 to 999 minutes, hours or days, such as 30m, 26h or 8d',
  )
  .describe('how often such an email arrives at least, such as 30m, 26h or 8d');
const Grace = z
  .string()
  .regex(/^[0-9]{1,3}[mhd]$/, 'must be 0 to 999 minutes, hours or days, such as 0m, 1h or 2d');
const whenText = 'expression in CEL: only such email is expected; null for all email';

export const Expectation = z.object({
  every: Every,
  when: ExpressionText.nullable().default(null).describe(whenText),
  grace: Grace.default(DEFAULT_GRACE).describe('how much later it may be, such as 0m or 1h'),
});
export type Expectation = z.infer<typeof Expectation>;
describeSchema(Expectation, 'Expectation', {
  every: '26h',
  when: 'subject.contains("backup")',
  grace: DEFAULT_GRACE,
});

/** As requests have it: an unknown field is an error (D4). */
export const ExpectationRequest = z.strictObject(Expectation.shape);

/** What the record of an address has of it. Only a change and an expected email write these fields. */
export type ExpectationState = {
  /** When it was set, or the address was enabled with it. Email from before does not count. */
  expect_since?: Date | undefined;
  /** When the address becomes silent if no expected email arrives; null when it waits for none. */
  silent_at?: Date | null | undefined;
  /** When silence was noticed; null or absent for an address that is not silent. */
  silent_since?: Date | null | undefined;
};

type Expecting = ExpectationState & {
  expect?: Expectation | null | undefined;
  is_enabled: boolean;
};

/** From an email to silence. */
const patienceMs = ({ every, grace }: Pick<Expectation, 'every' | 'grace'>): number =>
  (durationMs(every) ?? 0) + (durationMs(grace) ?? 0);

/** When an address is silent that got an expected email at this time, or began to expect one. */
export const silentAt = (expect: Pick<Expectation, 'every' | 'grace'>, from: Date): Date =>
  new Date(from.getTime() + patienceMs(expect));

/** The fields of a new address; empty when it expects nothing. */
export const newExpectation = (
  expect: Expectation | null | undefined,
  now: Date,
): ExpectationState => (expect ? { expect_since: now, silent_at: silentAt(expect, now) } : {});

/**
 * What a change does to the state of the address: another expectation, and an address that is enabled
 * again, begin from now; an address that refuses email waits for none.
 */
export function expectationAfter(
  before: Expecting,
  change: { expect?: Expectation | null | undefined; is_enabled?: boolean | undefined },
  now: Date,
): ExpectationState {
  const { expect = before.expect ?? null, is_enabled = before.is_enabled } = change;
  if (!isOther(before.expect ?? null, expect) && is_enabled === before.is_enabled) return {};
  if (expect === null && !before.expect) return {};
  return expect && is_enabled
    ? { ...newExpectation(expect, now), silent_since: null }
    : { silent_at: null, silent_since: null };
}

const isOther = (before: Expectation | null, after: Expectation | null): boolean =>
  before?.every !== after?.every || before?.when !== after?.when || before?.grace !== after?.grace;

/** What an expected email says to the address, in the event of the email. */
export const ExpectedEmail = z.object({
  /** When the expectation that it met began, in milliseconds since 1970. */
  since_ms: z.int(),
  /** Until then the address is not silent. */
  until_ms: z.int(),
});
export type ExpectedEmail = z.infer<typeof ExpectedEmail>;

/** What a gateway knows of an expectation. */
export type ExpectedBy = { when: string | null; since_ms: number; patience_ms: number };

/** Undefined for an address that expects nothing. */
export const expectedBy = ({
  expect,
  expect_since,
}: Pick<Expecting, 'expect' | 'expect_since'>): ExpectedBy | undefined =>
  expect && expect_since
    ? {
        when: expect.when,
        since_ms: expect_since.getTime(),
        patience_ms: patienceMs(expect),
      }
    : undefined;

/**
 * Undefined when the email is not the expected one. A failing expression does not prove that the
 * email arrived.
 */
export function expectedEmail(
  expected: ExpectedBy | undefined,
  filter: (when: string | null) => { passes: boolean; error?: string },
  receivedAt: Date,
): ExpectedEmail | undefined {
  if (!expected) return undefined;
  const { passes, error } = filter(expected.when);
  if (!passes || error !== undefined) return undefined;
  return {
    since_ms: expected.since_ms,
    until_ms: receivedAt.getTime() + expected.patience_ms,
  };
}

const LATE_MIN_MS = 10 * 60_000;
const LATE_MAX_MS = 3_600_000;

/**
 * Whether the absence is silence. After an outage of Inlet, queued email may still come: senders try
 * again, and dispatchers record what waited. So the grace then begins again, for an hour at most.
 * @param steadySince since then Inlet has worked
 */
export const isSilent = (
  { grace }: Pick<Expectation, 'grace'>,
  steadySince: Date,
  now: Date,
): boolean => {
  const lateMs = Math.min(LATE_MAX_MS, Math.max(LATE_MIN_MS, durationMs(grace) ?? 0));
  return now.getTime() - steadySince.getTime() >= lateMs;
};
