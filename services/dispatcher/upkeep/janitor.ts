/**
 * Removes mail, bodies, contents and words of texts whose retention has ended. Every dispatcher may
 * do this.
 */
import { removableBefore } from '../../core/delivery/retention.ts';
import type { Objects } from '../../adapters/stream/objects/objects.ts';
import type { MailErasure } from '../../adapters/stream/erase.ts';
import type { Deliveries } from '../../adapters/mongo/delivery/deliveries.ts';
import type { EndedContent } from '../../adapters/mongo/delivery/upkeep.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { StartSweep } from '../../adapters/process/sweeps.ts';

type JanitorIO = {
  purgeMail(keepFrom: Date): Promise<number>;
  /** Makes room in a JetStream account that is nearly full. */
  keepFree(): Promise<number>;
  bodies: Pick<Objects, 'remove'>;
  contents: Pick<MailErasure, 'remove' | 'erase'>;
  /** Whose streams these are: another region removes its own contents (D87). */
  region: string | undefined;
  deliveries: Pick<
    Deliveries,
    'bodiesToRemove' | 'bodiesRemoved' | 'endedContents' | 'contentsRemoved' | 'forgetTexts'
  >;
};

const ROUND_MS = 60_000;
/** A round ends with the first batch that finds less, or when the next one is due. */
const CONTENTS_A_BATCH = 100;
const BODIES_A_BATCH = 200;
const TEXTS_A_BATCH = 500;
/** At the same time. Another dispatcher may remove the same ones, which then costs nothing. */
const BODIES_TOGETHER = 20;

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

  /** As many as there are, or as a round has time for. */
  const inBatches = async (size: number, removeNext: () => Promise<number>): Promise<number> => {
    const startedAt = performance.now();
    for (let removed = 0; ;) {
      const count = await removeNext();
      removed += count;
      if (count < size || performance.now() - startedAt > ROUND_MS) return removed;
    }
  };

  const removeContents = (now: Date): Promise<number> =>
    inBatches(CONTENTS_A_BATCH, async () => {
      const before = removableBefore(now);
      const batch = await io.deliveries.endedContents(before, CONTENTS_A_BATCH, io.region);
      await removeBatch(batch);
      return batch.length;
    });

  const removeBodies = (keepFrom: Date): Promise<number> =>
    inBatches(BODIES_A_BATCH, async () => {
      const ids = await io.deliveries.bodiesToRemove(keepFrom, BODIES_A_BATCH, io.region);
      for (let from = 0; from < ids.length; from += BODIES_TOGETHER) {
        const group = ids.slice(from, from + BODIES_TOGETHER);
        await Promise.all(group.map((eventId) => io.bodies.remove(eventId)));
      }
      await io.deliveries.bodiesRemoved(ids);
      return ids.length;
    });

  const sweep = startSweep('janitor', ROUND_MS, async (now) => {
    const keepFrom = new Date(now.getTime() - retentionMs);
    const purged = await io.purgeMail(keepFrom);
    await io.keepFree();
    const [bodies, contents, texts] = await Promise.all([
      removeBodies(keepFrom),
      removeContents(now),
      inBatches(TEXTS_A_BATCH, () => io.deliveries.forgetTexts(now, TEXTS_A_BATCH)),
    ]);
    if (purged > 0 || bodies > 0 || contents > 0 || texts > 0)
      log.info('mail.purged', { messages: purged, bodies, contents, texts });
  });
  return { [Symbol.dispose]: () => void sweep[Symbol.asyncDispose]() }; // a stop does not wait for a sweep
}
