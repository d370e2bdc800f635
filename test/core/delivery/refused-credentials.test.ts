/** When a receiver that refuses changed credentials, or webhooks for ever, counts as failing within seconds. */
import { expect, test } from 'vitest';

import {
  type RefusalFacts,
  refusalReason,
  watchedSince,
} from '../../../services/core/delivery/failing.ts';

const ROTATED = new Date('2026-11-20T12:00:00Z');
const minute = (minutes: number) => new Date(ROTATED.getTime() + minutes * 60_000);
const DAY = 1_440;

const tried = (at: number, status_code: number | null, token_status?: number) => ({
  at: minute(at),
  status_code,
  ...(token_status !== undefined && { token_status }),
});
const facts = (fields: Partial<RefusalFacts> = {}): RefusalFacts => ({
  failing_since: minute(1),
  credentials_changed: { what: 'secret', at: ROTATED, until: minute(DAY) },
  attempts: [tried(3, 403), tried(2, 401), tried(1, 401)],
  ...fields,
});
const late = (from: number) => ({
  failing_since: minute(from),
  attempts: [tried(from, 401), tried(from + 1, 401), tried(from + 2, 401)],
});
const AUTH = { what: 'auth', at: ROTATED, until: ROTATED } as const;

test.each<[string, Partial<RefusalFacts>, number, string | undefined]>([
  ['three refusals in a row after a rotation', {}, 4, 'secret_rotated'],
  ['three after a change of auth', { credentials_changed: AUTH }, 4, 'auth_changed'],
  ['one 410 is enough', { gone_at: minute(1), attempts: [tried(1, 410)] }, 2, 'gone'],
  [
    'a 410 of an earlier failure is not enough: an earlier release left it in the record',
    { gone_at: minute(-1), attempts: [tried(1, 500)] },
    2,
    undefined,
  ],
  ['two are too few', { attempts: [tried(1, 401), tried(2, 401)] }, 4, undefined],
  ['a single one is enough after an hour', { attempts: [tried(1, 401)] }, 61, 'secret_rotated'],
  [
    'three after an outage, which began after the rotation',
    {
      attempts: [
        tried(0.5, 401),
        tried(1, 503),
        ...facts().attempts.map((one) => ({ ...one, at: minute(5) })),
      ],
    },
    9,
    'secret_rotated',
  ],
  [
    'another failure among the last three',
    { attempts: [tried(1, 401), tried(2, 503), tried(3, 401), tried(4, 401)] },
    9,
    undefined,
  ],
  [
    'no response is no refusal',
    { attempts: [tried(1, null), tried(2, null), tried(3, null)] },
    90,
    undefined,
  ],
  [
    'attempts before the last accepted one do not count',
    { failing_since: minute(3) },
    4,
    undefined,
  ],
  ['a receiver that failed before the rotation', { failing_since: minute(-1) }, 90, undefined],
  ['no attempt is stored any more', { attempts: [] }, 90, undefined],
  ['days after the former secret has ended', late(7 * DAY), 7 * DAY + 3, 'secret_rotated'],
  ['weeks after it', late(9 * DAY), 9 * DAY + 3, undefined],
  [
    'the token URL refuses the client',
    {
      credentials_changed: AUTH,
      attempts: [tried(1, null, 400), tried(2, null, 401), tried(3, null, 403)],
    },
    4,
    'auth_changed',
  ],
  [
    'the token URL is down',
    { attempts: [tried(1, null, 503), tried(2, null, 503), tried(3, null, 503)] },
    90,
    undefined,
  ],
])('%s', (_, fields, now, reason) => {
  expect(refusalReason(facts(fields), minute(now))).toBe(reason);
});

test('a receiver is read for as long as its failures can have a reason, and a day more', () => {
  const ends = minute(DAY);
  expect(watchedSince(minute(8 * DAY)) < ends).toBe(true);
  expect(watchedSince(minute(9 * DAY)).getTime()).toBe(ends.getTime());
});
