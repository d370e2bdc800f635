/** What a response reports about a limit. */

/** The state of a limit. Its window begins with the first request and ends at `resetAt`. */
export type LimitState = { isExceeded: boolean; limit: number; remaining: number; resetAt: Date };
