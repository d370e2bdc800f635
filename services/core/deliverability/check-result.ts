/** The result of one check. */

export const CHECK_STATUSES = ['ok', 'missing', 'wrong', 'unknown', 'off'] as const;

export type CheckResult = { status: (typeof CHECK_STATUSES)[number]; message: string };
