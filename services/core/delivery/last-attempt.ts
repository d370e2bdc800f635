/** What the payload of the last attempt had in addition to the stored one. */
import { storageView } from '../bucket/stored-files.ts';
import type { AttemptFacts } from '../webhook/payload-bytes.ts';
import { attemptCount, type Delivery } from './delivery.ts';
import { storableJson } from '../text/text.ts';

/** Without the links to files, which may have expired. */
export const lastAttemptFacts = (
  delivery: Pick<Delivery, 'attempts' | 'attempt_count' | 'stored_files'>,
): AttemptFacts => ({
  retryCount: lastRetryCount(delivery),
  ...(delivery.stored_files && {
    storage: storableJson(storageView(delivery.stored_files)),
  }),
});

/** The retry_count in the payload that was sent last. */
export const lastRetryCount = (delivery: Pick<Delivery, 'attempts' | 'attempt_count'>): number =>
  Math.max(0, attemptCount(delivery) - 1);
