/** Whose fault it is that an email was not delivered: every cause (D290). */
import { expect, test } from 'vitest';

import { AppError, unavailable } from '../../../services/core/error/app-error.ts';
import {
  type Cause,
  causeOfError,
  causeOfOutcome,
  CAUSES,
  OwnFault,
  Unprocessable,
  whoseFault,
} from '../../../services/core/delivery/fault.ts';
import type { Outcome } from '../../../services/core/delivery/retry.ts';

/** With a right clock, and with a wrong one. */
const OUTCOMES: [Outcome, Cause | undefined, Cause | undefined][] = [
  [{ kind: 'accepted', status: 200 }, undefined, undefined],
  [{ kind: 'refused', status: 404 }, 'refused', 'refused'],
  [{ kind: 'busy', status: 503 }, 'busy', 'busy'],
  [{ kind: 'unreachable', reason: 'dns' }, 'dns', 'dns'],
  [{ kind: 'unreachable', reason: 'connection' }, 'connection', 'connection'],
  [{ kind: 'unreachable', reason: 'timeout' }, 'timeout', 'timeout'],
  [{ kind: 'unreachable', reason: 'token', tokenStatus: 401 }, 'token', 'token'],
  [{ kind: 'blocked', reason: 'a private address' }, 'blocked', 'blocked'],
  [{ kind: 'unreachable', reason: 'tls' }, 'tls', 'clock_wrong'],
  [{ kind: 'storage_failed' }, 'storage_failed', 'clock_wrong'],
];

const away = new Error('away');
const wrapped = (cause: unknown) => new Error('deliver', { cause });
const fromSystem = (code: string, syscall: string) =>
  Object.assign(new Error(code), { code, syscall });

const ERRORS: [string, unknown, Cause][] = [
  ['a server that is away', away, 'server_away'],
  ['what needs a server that is away', unavailable(wrapped(away)), 'server_away'],
  ['a key that is missing', new OwnFault('key_missing', 'secret'), 'key_missing'],
  ['the same below another error', wrapped(new OwnFault('key_missing', 'secret')), 'key_missing'],
  ['a thread that ended', new OwnFault('thread_ended', 'a job'), 'thread_ended'],
  ['a full disk', wrapped(fromSystem('ENOSPC', 'write')), 'system'],
  ['too many open files', fromSystem('EMFILE', 'open'), 'system'],
  ['content that is damaged', wrapped(new Unprocessable('damaged', 'frame 3')), 'damaged'],
  ['another error for a caller', new AppError('conflict', 'changed'), 'unknown'],
  ['a bug', new TypeError('undefined is not a function'), 'unknown'],
  ['what is no error', 'text', 'unknown'],
];

const OURS: Cause[] = ['server_away', 'thread_ended', 'system', 'key_missing', 'clock_wrong'];

test.each(OUTCOMES)('the attempt ended as %j', (outcome, rightClock, wrongClock) => {
  expect(causeOfOutcome(outcome, { isClockWrong: false })).toBe(rightClock);
  expect(causeOfOutcome(outcome, { isClockWrong: true })).toBe(wrongClock);
});

test.each(ERRORS)('%s', (_, error, cause) => {
  expect(causeOfError(error, (one) => one === away)).toBe(cause);
});

test('only what local evidence shows is ours, and every cause has a case', () => {
  expect(CAUSES.filter((cause) => whoseFault(cause) === 'ours')).toEqual(OURS);
  const seen = [...OUTCOMES.flatMap(([, ...causes]) => causes), ...ERRORS.map(([, , one]) => one)];
  expect(CAUSES.filter((cause) => !seen.includes(cause))).toEqual([]);
});
