/** Removes mail and bodies whose replay window has ended. Every dispatcher may do this. */
import type { Bodies } from '../adapters/stream/bodies.ts';
import type { Deliveries } from '../adapters/mongo/deliveries.ts';
import type { Log } from '../adapters/process/log.ts';
import type { StartSweep } from '../adapters/process/sweeps.ts';

export type JanitorIO = {
  purgeMail(keepFrom: Date): Promise<number>;
  bodies: Pick<Bodies, 'remove'>;
  deliveries: Pick<Deliveries, 'bodiesToRemove' | 'bodiesRemoved'>;
};

const ROUND_MS = 60_000;
const BODIES_A_ROUND = 1_000;

export function startJanitor(
  io: JanitorIO,
  retentionMs: number,
  startSweep: StartSweep,
  log: Log,
): Disposable {
  const sweep = startSweep('janitor', ROUND_MS, async (now) => {
    const keepFrom = new Date(now.getTime() - retentionMs);
    const purged = await io.purgeMail(keepFrom);
    const eventIds = await io.deliveries.bodiesToRemove(keepFrom, BODIES_A_ROUND);
    for (const eventId of eventIds) await io.bodies.remove(eventId);
    await io.deliveries.bodiesRemoved(eventIds);
    if (purged > 0 || eventIds.length > 0)
      log.info('mail.purged', { messages: purged, bodies: eventIds.length });
  });
  return { [Symbol.dispose]: () => void sweep[Symbol.asyncDispose]() }; // a stop does not wait for a sweep
}
