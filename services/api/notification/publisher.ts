/**
 * Puts events into the queue, once for each notification of their account. Every API process runs
 * this job: an event has the same id in all of them, so the queue folds what two of them publish.
 */
import { createInterruptionLog } from '../../adapters/process/interruption-log.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { StartSweep } from '../../adapters/process/sweeps.ts';
import type { DueEvent, Outbox } from '../../adapters/mongo/notification/outbox.ts';
import type { StoreMail } from '../../adapters/stream/store.ts';
import { eventDigest } from '../../core/delivery/mail-event.ts';
import {
  notificationBytes,
  notificationFacts,
  notificationPayload,
} from '../../core/notification/notification-payload.ts';

type PublisherDependencies = {
  outbox: Outbox;
  region: string | undefined;
  /** Opens it for the partitions that exist now. */
  openStore: () => Promise<StoreMail>;
  startSweep: StartSweep;
};

const ROUND_MS = 1_000;
const EVENTS_A_ROUND = 200;

export function startPublisher(
  { outbox, region, openStore, startSweep }: PublisherDependencies,
  log: Log,
): AsyncDisposable {
  const interruptions = createInterruptionLog(log);

  const publish = async (
    storeMail: StoreMail,
    { event, targets, address }: DueEvent,
  ): Promise<void> => {
    for (const target of targets) {
      const payload = notificationPayload(event, target.id, address);
      const body = notificationBytes(payload);
      const facts = notificationFacts(payload, target, event, body.byteLength);
      const stored = await storeMail(facts, [body], eventDigest(payload.event_id));
      if (stored === 'full') throw new Error('the queue is full');
    }
    await outbox.published(event);
    if (targets.length > 0)
      log.info('notification.published', {
        event_id: event.id,
        account_id: event.account_id,
        type: event.type,
        notifications: targets.length,
      });
  };

  const sweep = startSweep('notifications', ROUND_MS, async (now) => {
    const due = await outbox.due(EVENTS_A_ROUND);
    if (due.length === 0) return;
    const storeMail = await openStore();
    let failures = 0;
    for (const one of due) {
      try {
        if (await outbox.claim(one.event, region, now)) await publish(storeMail, one);
      } catch (error) {
        failures++; // the next round tries again
        interruptions.report('warn', 'notification.not_published', {
          event_id: one.event.id,
          error,
        });
      }
    }
    if (failures > 0) throw new Error(`${failures} of ${due.length} events were not published`);
  });
  return {
    [Symbol.asyncDispose]: async () => {
      await sweep[Symbol.asyncDispose]();
      interruptions[Symbol.dispose]();
    },
  };
}
