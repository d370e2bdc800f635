/** Removes what is no longer needed: mail and bodies whose replay window has ended. One dispatcher suffices; several do no harm. */
import type { Bodies } from '../adapters/bodies.ts';
import type { Deliveries } from '../adapters/deliveries.ts';
import type { Log } from '../adapters/log.ts';

export type JanitorIO = {
  purgeMail(keepFrom: Date): Promise<number>;
  bodies: Pick<Bodies, 'remove'>;
  deliveries: Pick<Deliveries, 'bodiesToRemove' | 'bodiesRemoved'>;
};

const ROUND_MS = 60_000;
const BODIES_A_ROUND = 1_000;

export function startJanitor(io: JanitorIO, { retentionMs, clock }: { retentionMs: number; clock: () => Date }, log: Log): Disposable {
  const round = async (): Promise<void> => {
    const keepFrom = new Date(clock().getTime() - retentionMs);
    const purged = await io.purgeMail(keepFrom);
    const eventIds = await io.deliveries.bodiesToRemove(keepFrom, BODIES_A_ROUND);
    for (const eventId of eventIds) await io.bodies.remove(eventId);
    await io.deliveries.bodiesRemoved(eventIds);
    if (purged > 0 || eventIds.length > 0) log.info('mail.purged', { messages: purged, bodies: eventIds.length });
  };
  const timer = setInterval(() => {
    round().catch((error: unknown) => log.warn('mail.not_purged', { error }));
  }, ROUND_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
