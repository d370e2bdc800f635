/** The life of a delivery, over random sequences of events. */
import { expect, test } from 'vitest';

import {
  revisionOf,
  ruledStatus,
  type Tally,
  tallyOf,
} from '../../../services/core/delivery/delivery.ts';
import type {
  DeliveryEvent,
  DeliveryRecord,
} from '../../../services/core/delivery/delivery-event.ts';
import { isFinal } from '../../../services/core/delivery/delivery-view.ts';
import { isSameLease } from '../../../services/core/delivery/unread.ts';
import { transition } from '../../../services/core/delivery/transition.ts';
import { addTally, NO_MAIL } from '../../../services/core/usage/usage.ts';
import { eventOf, type Happening, happenings } from '../../support/delivery-events.ts';
import { mailEvent } from '../../support/mail-events.ts';
import { newAddress } from '../../support/new-address.ts';
import { fc, runs } from '../../support/random.ts';

const RECEIVED = new Date('2026-11-29T08:00:00Z');
const STEP_MS = 90_000;

const RULED = { ruling: { action: 'hold', reason: 'rule', rules: [], facts: [] } } as const;
const mail = (isRuled: boolean) => ({
  ...mailEvent(newAddress('https://receiver.example/'), RECEIVED),
  ...(isRuled && { ruling: { ...RULED.ruling, rules: [], facts: [] } }),
  thread_id: 'thr_1',
  recipients: ['bob@in.example'],
});

type Lived = {
  event: DeliveryEvent;
  before: DeliveryRecord | undefined;
  after: DeliveryRecord;
  tally: Tally;
  now: Date;
};

/** Applies the events one after another. A stale one was decided with the record of two events ago. */
function live(sequence: readonly Happening[], isRuled: boolean): Lived[] {
  const email = mail(isRuled);
  const lived: Lived[] = [];
  sequence.forEach((one, i) => {
    const before = lived.at(-1)?.after;
    const now = new Date(RECEIVED.getTime() + (i + 1) * STEP_MS);
    const event = eventOf(one, email, (one.isStale ? lived.at(-2)?.after : before) ?? before, now);
    const { record: after, effects } = transition(before, event, now);
    if (after === undefined) return;
    const counts = effects.flatMap((effect) => (effect.kind === 'count' ? [effect.tally] : []));
    lived.push({ event, before, after, tally: counts.reduce(addTally, NO_MAIL), now });
  });
  return lived;
}

const everyLife = (claim: (lived: readonly Lived[]) => void) =>
  fc.assert(
    fc.property(happenings(20), fc.boolean(), (sequence, isRuled) =>
      claim(live(sequence, isRuled)),
    ),
    runs(700),
  );

test('an end stays an end until a replay or a release; delivered and dropped ones stay what they are', () =>
  everyLife((lived) => {
    for (const { event, before, after } of lived) {
      if (before === undefined || !isFinal(before.status)) continue;
      if (event.kind === 'replayed' || event.kind === 'released') continue;
      expect(isFinal(after.status)).toBe(true);
      expect(after.next_attempt_at).toBeNull();
      const isSettled = before.status === 'delivered' || before.status === 'dropped';
      expect(isSettled ? after.status : before.status).toBe(before.status);
    }
  }));

test('the revision only grows, by one with each request and sweep that changes the record', () =>
  everyLife((lived) => {
    for (const { event, before, after } of lived) {
      if (before === undefined) continue;
      const isMessage = 'mail' in event;
      const grown = revisionOf(after) - revisionOf(before);
      expect(grown).toBe(isMessage || after === before ? 0 : 1);
    }
  }));

test('usage counts an email once, under its last status', () =>
  everyLife((lived) => {
    const sum = lived.map(({ tally }) => tally).reduce(addTally, NO_MAIL);
    const last = lived.at(-1)!.after;
    expect(sum).toEqual(addTally(NO_MAIL, tallyOf(undefined, last.status)));
  }));

test('an event that is repeated changes nothing, and is not counted again', () =>
  everyLife((lived) => {
    for (const { event, after, now } of lived) {
      if (event.kind === 'delayed' && event.until.getTime() === event.foundDueAt?.getTime())
        continue;
      const again = transition(after, event, now);
      expect(again.record).toBe(after);
      expect(again.effects.filter(({ kind }) => kind === 'count' || kind === 'note')).toEqual([]);
    }
  }));

test('an event of an older revision decides nothing, unless the receiver accepted the webhook', () =>
  everyLife((lived) => {
    for (const { event, before, after } of lived) {
      if (before === undefined || !('revision' in event) || event.revision === undefined) continue;
      if (event.revision >= revisionOf(before)) continue;
      const isOfOther = 'found' in event && event.found && !isSameLease(event.found, before.unread);
      const wasAccepted = event.kind === 'attempted' && event.step.kind === 'done' && !isOfOther;
      const status = wasAccepted && before.status !== 'dropped' ? 'delivered' : before.status;
      expect(after.status).toBe(status);
      const next = wasAccepted ? null : before.next_attempt_at;
      expect(after.next_attempt_at).toEqual(next);
      expect(event.kind === 'attempted' ? before : after).toBe(before);
    }
  }));

test('after an erasure nothing comes back, and nothing is attempted', () =>
  everyLife((lived) => {
    for (const { after } of lived) {
      if (after.content_erased_at === undefined) continue;
      expect(isFinal(after.status)).toBe(true);
      expect(after).toMatchObject({
        mail_from: '',
        from: null,
        subject: null,
        payload_in: 'removed',
      });
      expect(Object.keys(after)).not.toContain('ruling');
      expect(Object.keys(after)).not.toContain('recipients');
      expect(Object.keys(after)).not.toContain('thread_id');
      expect(Object.keys(after)).not.toContain('attempt_headers');
      for (const { excerpt, location } of after.attempts)
        expect({ excerpt, location }).toEqual({ excerpt: null, location: undefined });
    }
  }));

test('rules decide only until a request does: a released email is not held again', () =>
  everyLife((lived) => {
    for (const { before, after } of lived) {
      if (before?.released_at === undefined) continue;
      expect(after.released_at).toBeDefined();
      expect(ruledStatus(mail(true), after)).toBeUndefined();
    }
  }));
