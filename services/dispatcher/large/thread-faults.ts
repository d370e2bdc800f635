/**
 * Errors of jobs in threads, which arrive without their class: the thread itself says whether the
 * email is the cause. set-aside.ts reads it.
 */
import { DeadlineError } from '../../adapters/async/deadline.ts';
import { causeChain } from '../../adapters/process/log.ts';
import { isNatsTemporary } from '../../adapters/stream/connection/errors.ts';
import { unprocessableReason } from '../../core/delivery/unprocessable.ts';

export type Fault = { fault: { reason: string; detail: string } };

/** In the thread, which uses no other server than NATS: an outage is an error, all else a result. */
export async function orFault<T>(work: Promise<T>): Promise<T | Fault> {
  try {
    return await work;
  } catch (error) {
    if (isNatsTemporary(error) || error instanceof DeadlineError) throw error;
    return { fault: { reason: unprocessableReason(error), detail: causeChain(error) } };
  }
}
