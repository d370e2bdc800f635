/** J2: how many hooks a gateway asks at the same time, and for whom. */
import { expect, test } from 'vitest';

import type { HookResponse } from '../../../services/core/decision/hook-answer.ts';
import {
  createAskHook,
  type HookLimits,
  type HookQuestion,
} from '../../../services/gateway/receive/hooks.ts';

const ACCEPTED: HookResponse = {
  status: 200,
  body: '{"decision":"accept"}',
  error: null,
  durationMs: 1,
};
const LIMITS: HookLimits = { slots: 16, bytes: 1_000_000 };

/** Hooks that answer when told to. */
function startHooks(limits: HookLimits = LIMITS) {
  const open: ((response: HookResponse) => void)[] = [];
  const calls: { url: string; timeout_ms: number }[] = [];
  let now = 0;
  const ask = createAskHook(
    (call) => {
      calls.push(call);
      return new Promise((resolve) => open.push(resolve));
    },
    limits,
    () => now,
  );
  return {
    calls,
    wait: (ms: number) => {
      now += ms;
    },
    answer: (response = ACCEPTED) => {
      for (const resolve of open.splice(0)) resolve(response);
    },
    ask: (fields: Partial<HookQuestion> = {}, body = Buffer.from('{}')) =>
      ask(
        {
          hook: {
            url: 'https://hook.example/a',
            when: null,
            timeout_ms: 5_000,
            on_error: 'defer',
          },
          accountId: 'acc_a',
          addressId: 'addr_1',
          eventId: 'evt_1',
          emailBytes: 1_000,
          until: new Date(60_000),
          source: '192.0.2.1',
          ...fields,
        },
        () => body,
      ),
  };
}

test('one account gets a part of the slots, and leaves some to others', async () => {
  const hooks = startHooks();
  const requested = Array.from({ length: 40 }, () => hooks.ask());
  const ofA = hooks.calls.length;
  expect(ofA).toBeGreaterThan(8);
  expect(ofA).toBeLessThan(14);
  const other = hooks.ask({ accountId: 'acc_b' });
  expect(hooks.calls).toHaveLength(ofA + 1);
  hooks.answer();
  const answers = await Promise.all(requested);
  expect(answers.filter(({ error }) => error === null)).toHaveLength(ofA);
  expect(answers.at(-1)).toMatchObject({
    decision: 'defer',
    error: 'not asked: too many emails wait for hooks',
  });
  expect((await other).decision).toBe('accept');
  const again = Array.from({ length: 40 }, () => hooks.ask());
  expect(hooks.calls).toHaveLength(2 * ofA + 1); // everything was given back
  hooks.answer();
  await Promise.all(again);
});

test('the emails that wait hold at most their bytes', async () => {
  const hooks = startHooks();
  // a larger one counts as a half of them, so that its size does not avoid the hook
  const first = hooks.ask({ emailBytes: 1_000_001 });
  const second = hooks.ask({ emailBytes: 300_000, accountId: 'acc_b' });
  expect((await hooks.ask({ emailBytes: 300_000, accountId: 'acc_c' })).error).toMatch(/too many/);
  hooks.answer();
  expect([(await first).decision, (await second).decision]).toEqual(['accept', 'accept']);
  const third = hooks.ask({ emailBytes: 300_000, accountId: 'acc_c' });
  hooks.answer();
  expect((await third).decision).toBe('accept');
});

test('a hook that has failed five times is not asked for a while; others are', async () => {
  const hooks = startHooks();
  const failed = { ...ACCEPTED, status: 500 };
  for (let i = 0; i < 5; i++) {
    const requested = hooks.ask({ source: `192.0.2.${i}` });
    hooks.answer(failed);
    expect((await requested).error).toBe('it responded with 500');
  }
  expect((await hooks.ask()).error).toMatch(/failed several times/);
  const other = hooks.ask({ accountId: 'acc_b' });
  hooks.answer();
  expect((await other).error).toBeNull();
  hooks.wait(5_000);
  const later = hooks.ask();
  hooks.answer();
  expect((await later).error).toBeNull();
});

test('a hook is not paused because no dispatcher was there to call it', async () => {
  const hooks = startHooks();
  const error = 'no dispatcher is running';
  for (let i = 0; i < 6; i++) {
    const requested = hooks.ask();
    hooks.answer({ status: null, body: null, error, durationMs: 1, wasNotCalled: true });
    expect((await requested).error).toBe(error);
  }
});

test('the reply to the sender is never late', async () => {
  const hooks = startHooks();
  expect((await hooks.ask({ until: new Date(10) })).error).toMatch(/the sender waits/);
  const requested = hooks.ask({ until: new Date(800) });
  expect(hooks.calls.map(({ timeout_ms }) => timeout_ms)).toEqual([800]);
  hooks.answer();
  await requested;
});
