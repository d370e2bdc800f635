/** What becomes of an email that a dispatcher could not process (D162, D290). */
import { errors as errorsOfNats } from '@nats-io/transport-node';
import { MongoNetworkError } from 'mongodb';
import { expect, test } from 'vitest';

import { DeadlineError } from '../../../services/adapters/async/deadline.ts';
import type { QueuedMail } from '../../../services/adapters/stream/pull.ts';
import { unavailable } from '../../../services/core/error/app-error.ts';
import { OwnFault } from '../../../services/core/delivery/fault.ts';
import { createUnprocessable } from '../../../services/dispatcher/outcome/unprocessable.ts';
import { mailEvent } from '../../support/mail-events.ts';
import { newAddress } from '../../support/new-address.ts';
import { log } from '../../support/pipeline.ts';

const HOUR_MS = 3_600_000;

const bug = new TypeError('a bug');
const keyMissing = new OwnFault('key_missing', 'a secret');
const OURS = {
  mongodb: new Error('record', { cause: new MongoNetworkError('away') }),
  nats: new Error('publish', { cause: new errorsOfNats.TimeoutError() }),
  deadline: new DeadlineError('no answer'),
  unavailable: unavailable(new Error('away')),
  thread: new OwnFault('thread_ended', 'a job of a thread'),
  disk: Object.assign(new Error('ENOSPC'), { syscall: 'write', code: 'ENOSPC' }),
  clock: new OwnFault('clock_wrong', 'the attempt failed'),
  key: keyMissing,
};

/** Delivers one email again and again. */
function bed({ isBacklogFull = false } = {}) {
  let now = Date.now();
  const records: string[] = [];
  const naks: (number | undefined)[] = [];
  const sleeps: number[] = [];
  let moved = 0;
  const afterError = createUnprocessable(
    {
      stateOf: () => Promise.resolve(undefined),
      record: ({ kind }) => {
        records.push(kind);
        return Promise.resolve(undefined);
      },
      isBacklogFull: () => Promise.resolve(isBacklogFull),
      counted: () => undefined,
      expired: async () => void records.push('expired'),
    },
    { lifetimeMs: 24 * HOUR_MS, clock: () => new Date(now) },
    log,
  );
  const mail = {
    event: mailEvent(newAddress('https://receiver.example/'), new Date(now)),
    lane: 'mail',
    revision: 0,
    isRepeat: true,
    nak: (ms?: number) => void naks.push(ms),
    retryAt: async (at: Date) => void sleeps.push(at.getTime() - now),
    moveToFailed: async () => void moved++,
  } as unknown as QueuedMail;
  return {
    records,
    naks,
    sleeps,
    afterError,
    mail,
    moved: () => moved,
    pass: (ms: number) => (now += ms),
    fail: async (error: unknown, times: number) => {
      for (let i = 0; i < times; i++) await afterError.failed(mail, error);
    },
  };
}

test.each(Object.entries(OURS))('ours, so no attempt and no end: %s', async (_, error) => {
  const { fail, records, moved } = bed();
  await fail(error, 9);
  expect(records.filter((kind) => kind !== 'delayed')).toEqual([]);
  expect(moved()).toBe(0);
});

test('an error that comes each time ends the email at the third delivery, unless one succeeded', async () => {
  const sometimes = bed();
  for (let i = 0; i < 3; i++) {
    await sometimes.fail(bug, 2);
    sometimes.afterError.succeeded(sometimes.mail);
  }
  expect(sometimes.records).toEqual([]);
  const always = bed();
  await always.fail(bug, 2);
  expect(always.moved()).toBe(0);
  await always.fail(bug, 1);
  expect(always.records).toEqual(['attempted']);
  expect(always.moved()).toBe(1);
});

test('an email whose key is missing leaves the lane of fresh ones, and ends by its own time', async () => {
  const { fail, pass, records, naks, sleeps, moved } = bed();
  await fail(keyMissing, 5);
  expect(naks).toEqual([1_000]); // another dispatcher may have the key
  expect(sleeps).toEqual([15_000, 60_000, 300_000, 300_000]);
  expect(records).toEqual(Array(4).fill('delayed'));
  pass(24 * HOUR_MS);
  await fail(keyMissing, 1);
  expect(records.at(-1)).toBe('expired');
  expect(moved()).toBe(0);
});

test('while too many emails wait, one whose key is missing stays where it is', async () => {
  const { fail, records, naks } = bed({ isBacklogFull: true });
  await fail(keyMissing, 3);
  expect(naks).toEqual([1_000, 15_000, 15_000]);
  expect(records).toEqual([]);
});
