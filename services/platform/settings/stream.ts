/** The setting of streams and waiting requests. */
import { z } from 'zod';

export const StreamConfig = {
  STREAM_WATCHERS: z.coerce
    .number()
    .int()
    .min(0)
    .max(20_000)
    .default(1_000)
    .describe(
      'open streams and waiting requests that one API process serves; one account may have a fifth of them',
    ),
};

/** No account takes the places of the others. */
const SHARE_OF_ACCOUNT = 0.2;

export const watchersPerAccount = ({ STREAM_WATCHERS }: { STREAM_WATCHERS: number }): number =>
  Math.ceil(STREAM_WATCHERS * SHARE_OF_ACCOUNT);
