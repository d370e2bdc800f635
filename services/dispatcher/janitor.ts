/**
 * Removes mail, bodies and contents whose retention has ended. Every dispatcher may do this.
 */
import { removableBefore } from '../core/delivery/retention.ts';
import type { Objects } from '../adapters/stream/objects/objects.ts';
import type { MailErasure } from '../adapters/stream/erase.ts';
import type { Deliveries } from '../adapters/mongo/deliveries/deliveries.ts';
import type { EndedContent } from '../adapters/mongo/deliveries/contents.ts';
import type { Log } from '../adapters/process/log.ts';
import type { StartSweep } from '../adapters/process/sweeps.ts';

export type JanitorIO = {
  purgeMail(keepFrom: Date): Promise<number>;
  /** Makes room in a JetStream account that is nearly full. */
  keepFree(): Promise<number>;
  bodies: Pick<Objects, 'remove'>;
  contents: MailErasure;
  /** Whose streams these are: another region removes its own contents (D87). */
  region: string | undefined;
  deliveries: Pick<
    Deliveries,
    'bodiesToRemove' | 'bodiesRemoved' | 'endedContents' | 'contentsRemoved'
  >;
};

const ROUND_MS = 60_000;
const BODIES_A_ROUND = 1_000;
/** A round ends with the first batch that finds less, or when the next one is due. */
const CONTENTS_A_BATCH = 100;

export function startJanitor(
  io: JanitorIO,
  retentionMs: number,
  startSweep: StartSweep,
  log: Log,
): Disposable {
  const removeBatch = async (contents: readonly EndedContent[]): Promise<void> => {
    const ended = contents.filter(({ content_erased_at }) => content_erased_at === undefined);
    await Promise.all(ended.map((content) => io.contents.remove(content)));
    // Erased already by the API, unless that crashed, or a dispatcher was making a copy.
    for (const content of contents)
      if (content.content_erased_at !== undefined) await io.contents.erase(content);
    await io.deliveries.contentsRemoved(contents.map(({ event_id }) => event_id));
  };

  const removeContents = async (now: Date): Promise<number> => {
    const startedAt = performance.now();
    for (let removed = 0; ;) {
      const batch = await io.deliveries.endedContents(
        removableBefore(now),
        CONTENTS_A_BATCH,
        io.region,
      );
      await removeBatch(batch);
      removed += batch.length;
      if (batch.length < CONTENTS_A_BATCH || performance.now() - startedAt > ROUND_MS)
        return removed;
    }
  };

  const sweep = startSweep('janitor', ROUND_MS, async (now) => {
    const keepFrom = new Date(now.getTime() - retentionMs);
    const purged = await io.purgeMail(keepFrom);
    const eventIds = await io.deliveries.bodiesToRemove(keepFrom, BODIES_A_ROUND, io.region);
    for (const eventId of eventIds) await io.bodies.remove(eventId);
    await io.deliveries.bodiesRemoved(eventIds);
    await io.keepFree();
    const contents = await removeContents(now);
    if (purged > 0 || eventIds.length > 0 || contents > 0)
      log.info('mail.purged', { messages: purged, bodies: eventIds.length, contents });
  });
  return { [Symbol.dispose]: () => void sweep[Symbol.asyncDispose]() }; // a stop does not wait for a sweep
}
