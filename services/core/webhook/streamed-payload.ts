/**
 * The payload of a later attempt while it is streamed: only `retry_count`, which is last, differs
 * from the first attempt.
 */
import { FIRST_ATTEMPT_END } from './payload.ts';

/** By how much the payload of a later attempt is longer than that of the first. */
export const growthBytes = (retryCount: number): number => String(retryCount).length - 1;

/** @throws when the bytes are not the payload of a first attempt */
export async function* streamWithRetryCount(
  firstAttempt: AsyncIterable<Uint8Array>,
  retryCount: number,
): AsyncGenerator<Uint8Array> {
  let heldBack = Buffer.alloc(0);
  for await (const chunk of firstAttempt) {
    const joined = Buffer.concat([heldBack, chunk]);
    const end = Math.max(0, joined.byteLength - FIRST_ATTEMPT_END.length);
    if (end > 0) yield joined.subarray(0, end);
    heldBack = joined.subarray(end);
  }
  if (heldBack.toString() !== FIRST_ATTEMPT_END)
    throw new Error('payload does not end with its retry count');
  yield Buffer.from(`${retryCount}}}`);
}
