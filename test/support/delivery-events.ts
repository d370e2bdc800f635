/** Random events of one delivery: of its messages, of requests, and of the sweep. */
import type { DeliveryEvent, DeliveryRecord } from '../../services/core/delivery/delivery-event.ts';
import { revisionOf } from '../../services/core/delivery/delivery.ts';
import type { MailEvent } from '../../services/core/delivery/mail-event.ts';
import { fc } from './random.ts';

export const STORED_AT = { partition: 0, sequence: 1 };
const MINUTE_MS = 60_000;

/** What happens next. `ago`: how long before the present. `isStale`: its dispatcher read an older record. */
export type Happening = {
  kind: DeliveryEvent['kind'];
  step: 'done' | 'retry' | 'give-up';
  ago: number;
  dueIn: number;
  isStale: boolean;
  flag: boolean;
};

const MESSAGE_KINDS = [
  'stored',
  'delayed',
  'attempted',
  'kept',
  'held',
  'dropped',
  'unsent',
  'given_up',
] as const;
const REQUEST_KINDS = [
  'retry_asked',
  'canceled',
  'replayed',
  'released',
  'drop_asked',
  'erased',
  'closed',
  'found_overdue',
] as const;

const happening = (kinds: readonly DeliveryEvent['kind'][]): fc.Arbitrary<Happening> =>
  fc.record({
    kind: fc.constantFrom(...kinds),
    step: fc.constantFrom('done', 'retry', 'retry', 'give-up'),
    ago: fc.constantFrom(0, 2 * MINUTE_MS, 20 * MINUTE_MS),
    dueIn: fc.constantFrom(-5 * MINUTE_MS, 1_000, 10 * MINUTE_MS),
    isStale: fc.boolean(),
    flag: fc.boolean(),
  });

/** The first one makes the record. Attempts are as frequent as all other messages. */
export const happenings = (maxLength: number): fc.Arbitrary<Happening[]> =>
  fc
    .tuple(
      happening(MESSAGE_KINDS),
      fc.array(
        fc.oneof(
          happening(['attempted']),
          happening(MESSAGE_KINDS),
          happening(REQUEST_KINDS),
          happening(REQUEST_KINDS),
        ),
        { maxLength },
      ),
    )
    .map(([first, rest]) => [first, ...rest]);

const OUTCOMES = { done: 'accepted', retry: 'busy', 'give-up': 'refused' } as const;

/**
 * @param read the record as the dispatcher, the request or the sweep read it
 * @param time of the event; no two attempts begin at the same time
 */
export function eventOf(
  { kind, step, dueIn, flag }: Happening,
  mail: MailEvent,
  read: DeliveryRecord | undefined,
  time: Date,
): DeliveryEvent {
  const due = new Date(time.getTime() + dueIn);
  const revision = revisionOf(read ?? {});
  const of = { mail, storedAt: STORED_AT, revision };
  const by = { token_id: 'tok_1' };
  const until = flag ? { contentUntil: new Date(time.getTime() + MINUTE_MS) } : {};
  if (kind === 'stored' || kind === 'held') return { ...of, kind };
  if (kind === 'delayed')
    return { ...of, kind, until: due, foundDueAt: read?.next_attempt_at ?? null };
  if (kind === 'kept') {
    const unread = { at: time, bytes: 9, until: new Date(time.getTime() + 60 * MINUTE_MS) };
    return { ...of, kind, unread, found: read?.unread };
  }
  if (kind === 'attempted')
    return {
      ...of,
      kind,
      ...(step === 'done' && until),
      attempt: {
        at: time,
        duration_ms: 5,
        outcome: OUTCOMES[step],
        status_code: 200,
        error: null,
        excerpt: 'hello',
        location: 'https://other.example/',
      },
      headers: { sent: 'a: b\n', received: 'c: d\n' },
      step: step === 'retry' ? { kind: step, at: due } : { kind: step },
      found: read?.unread,
      unread: read?.unread?.until && flag ? { ...read.unread, at: due } : undefined,
    };
  if (kind === 'dropped') return { ...of, kind, ...until };
  if (kind === 'unsent') return { ...of, kind, as: 'filtered', ...until };
  if (kind === 'given_up') return { ...of, kind, as: flag ? 'expired' : 'backlog_full' };
  if (kind === 'retry_asked') return { kind, by, dueAt: due, revision };
  if (kind === 'canceled') return { kind, by };
  if (kind === 'replayed') return { kind, by, dueAt: due };
  if (kind === 'released' || kind === 'drop_asked') return { kind, by, at: time };
  if (kind === 'erased') return { kind, by, ends: flag ? 'waiting' : 'nothing' };
  if (kind === 'closed') return { kind, by: {}, isErased: flag };
  return { kind, where: flag ? 'stored' : 'nowhere', revision };
}
