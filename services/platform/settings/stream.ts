/** Settings of the live stream. */
import { z } from 'zod';

import { Duration } from '../../core/duration.ts';

export const StreamConfig = {
  STREAM_WATCHERS: z.coerce
    .number()
    .int()
    .min(0)
    .max(20_000)
    .default(1_000)
    .describe('open streams and waiting requests that one API process serves'),
  STREAM_WATCHERS_PER_ACCOUNT: z.coerce
    .number()
    .int()
    .min(1)
    .max(20_000)
    .default(200)
    .describe('the most of them that one account may have'),
  STREAM_HEARTBEAT: Duration.refine((ms) => ms >= 100 && ms <= 60_000, {
    message: 'must be between 100ms and 1m',
  })
    .prefault('15s')
    .describe(
      'pause between two heartbeats of a stream, at most a half of STALL_TIMEOUT; between 100ms and 1m',
    ),
};
