/**
 * Asks deciding hooks (D61). A gateway asks a bounded number at the same time, and an account gets a
 * fair share of them. What exceeds it is not asked and does not wait: `on_error` decides.
 */
import { LRUCache } from 'lru-cache';

import type { CallHook } from '../../adapters/messages/hook-calls.ts';
import type { Hook } from '../../core/hook/hook.ts';
import { createShares } from '../../core/delivery/claim.ts';
import { type HookAnswer, hookAnswer, unanswered } from '../../core/decision/hook-answer.ts';
import {
  afterCall,
  isPaused,
  type HookBreaker,
  NEW_BREAKER,
} from '../../core/hook/hook-breaker.ts';

export type HookQuestion = {
  hook: Hook;
  accountId: string;
  addressId: string;
  eventId: string;
  /** What the email takes in memory while the hook is asked. */
  emailBytes: number;
  /** When the answer must be there. */
  until: Date;
  /** Network of the client that sent the email. */
  source: string;
};

/** Never throws. @param payload makes the body; called only when the hook is asked */
export type AskHook = (question: HookQuestion, payload: () => Uint8Array) => Promise<HookAnswer>;

export type HookLimits = {
  /** Questions at the same time. */
  slots: number;
  /** Raw bytes of the emails that wait for an answer. */
  bytes: number;
};

/** The least time that an answer can take. */
const TIMEOUT_MIN_MS = 50;
/** One email may take this share of the bytes that all emails may hold. */
const LARGEST_PART = 0.5;
const BREAKERS_MAX = 10_000;

export function createAskHook(
  callHook: CallHook,
  limits: HookLimits,
  nowMs: () => number,
): AskHook {
  const shares = createShares(limits.slots, limits.bytes);
  const breakers = new LRUCache<string, HookBreaker>({ max: BREAKERS_MAX });

  return async function askHook(question, payload) {
    const { hook, accountId, addressId: address_id, eventId: event_id, until, source } = question;
    const key = `${accountId} ${hook.url}`;
    const refused = (reason: string) => unanswered(hook.on_error, reason);
    if (isPaused(breakers.get(key) ?? NEW_BREAKER, nowMs()))
      return refused('not asked: the hook has failed several times in a row');
    const timeout_ms = Math.min(hook.timeout_ms, until.getTime() - nowMs());
    if (timeout_ms < TIMEOUT_MIN_MS) return refused('not asked: the sender waits for the reply');
    // a larger email counts as much as may wait of one account: it must not avoid the hook
    const bytes = Math.min(question.emailBytes, limits.bytes * LARGEST_PART);
    using taken = shares.take(accountId, 1, bytes);
    if (taken === undefined) return refused('not asked: too many emails wait for hooks');
    const body = payload();
    const response = await callHook({ url: hook.url, event_id, address_id, timeout_ms }, body);
    const answer = hookAnswer(hook, response);
    if (response.wasNotCalled) return answer;
    const before = breakers.get(key) ?? NEW_BREAKER;
    breakers.set(key, afterCall(before, answer.error === null ? undefined : source, nowMs()));
    return answer;
  };
}
