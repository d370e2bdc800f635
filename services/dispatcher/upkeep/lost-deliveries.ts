/**
 * Ends records that nobody would end (D167): their next attempt is long overdue, and no lane has the
 * message, or no consumer has acknowledged the email in time. Every dispatcher may do this.
 */
import type { Log } from '../../adapters/process/log.ts';
import type { StartSweep } from '../../adapters/process/sweeps.ts';
import type { Deliveries } from '../../adapters/mongo/delivery/deliveries.ts';
import type { OverduePlace } from '../../adapters/mongo/delivery/upkeep.ts';
import type { ReplayStore } from '../../adapters/stream/replay.ts';
import type { Delivery } from '../../core/delivery/delivery.ts';
import { endOfOverdue, LOST_AFTER_MS } from '../../core/delivery/overdue-delivery.ts';
import { unreadSoon } from '../../core/delivery/unread.ts';

type LostDeliveriesIO = {
  deliveries: Pick<Deliveries, 'overdue' | 'markRequeued' | 'endOverdue' | 'countUnread'>;
  store: Pick<ReplayStore, 'copyOf' | 'enqueue'>;
  /** Begins a round: whether a lane has the message of a delivery. */
  beginLook(): (delivery: Delivery) => Promise<boolean>;
  /** Whose streams these are: the message of another region is not here (D87). */
  region: string | undefined;
  /** How long FAILED stores an email. */
  keptMs: number;
  startSweep: StartSweep;
  metrics: {
    gaveUp(as: 'lost' | 'unread'): void;
    requeued(): void;
    unread(receivers: number): void;
  };
};

const ROUND_MS = 60_000;
/** Each takes up to three requests. A round continues after the last one, and then begins again. */
const A_ROUND = 500;

export function startLostDeliveries(io: LostDeliveriesIO, log: Log): Disposable {
  let after: OverduePlace | undefined;

  const examine = async (delivery: Delivery, isWaiting: boolean, now: Date): Promise<void> => {
    if (isWaiting) return;
    const { event_id } = delivery;
    const copy = await io.store.copyOf(delivery);
    const end = endOfOverdue(delivery, copy ? 'stored' : 'nowhere', now);
    if (end === 'none') return;
    if (end === 'requeue' && copy) {
      const revision = await io.deliveries.markRequeued(delivery, now);
      if (revision === undefined) return;
      await io.store.enqueue({ ...delivery, revision }, copy, now);
      io.metrics.requeued();
      log.warn('delivery.requeued', { event_id });
      return;
    }
    if (!(await io.deliveries.endOverdue(delivery, now))) return;
    io.metrics.gaveUp(end === 'unread' ? end : 'lost');
    if (end === 'unread') log.warn('delivery.unread', { event_id });
    else log.error('delivery.lost', { event_id });
  };

  const sweep = io.startSweep('lost_deliveries', ROUND_MS, async (now) => {
    const before = new Date(now.getTime() - LOST_AFTER_MS);
    const found = await io.deliveries.overdue(before, io.region, after, A_ROUND);
    const last = found.at(-1);
    after = found.length === A_ROUND ? last : undefined;
    const waits = io.beginLook();
    for (const delivery of found) await examine(delivery, await waits(delivery), now);
    io.metrics.unread(await io.deliveries.countUnread(unreadSoon(now, io.keptMs)));
  });
  return { [Symbol.dispose]: () => void sweep[Symbol.asyncDispose]() }; // a stop does not wait for a sweep
}
