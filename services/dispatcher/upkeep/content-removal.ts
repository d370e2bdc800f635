/**
 * Removes the contents of emails whose retention ends with their delivery (`retention_hours: 0`),
 * after the outcome is recorded. What fails here, or is interrupted by a crash, the janitor removes.
 */
import type { Deliveries } from '../../adapters/mongo/delivery/deliveries.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { MailErasure, StoredContent } from '../../adapters/stream/erase.ts';
import type { QueuedMail } from '../../adapters/stream/pull.ts';
import { createBatches } from '../../adapters/async/batches.ts';

const MAX_BATCH = 100;
const LINGER_MS = 50;

export function createContentRemoval(
  contents: Pick<MailErasure, 'remove'>,
  deliveries: Pick<Deliveries, 'contentsRemoved'>,
  log: Log,
): (mail: Pick<QueuedMail, 'event' | 'storedAt'>) => Promise<void> {
  const remove = createBatches<StoredContent, void>(
    async (batch) => {
      try {
        await Promise.all(batch.map((content) => contents.remove(content)));
        await deliveries.contentsRemoved(batch.map(({ event_id }) => event_id));
      } catch (error) {
        log.warn('contents.not_removed', { contents: batch.length, error });
      }
      return batch.map(() => undefined);
    },
    { max: MAX_BATCH, lingerMs: LINGER_MS },
  );
  return function removeContent({ event, storedAt }) {
    return remove({ ...event, stored_at: storedAt });
  };
}
