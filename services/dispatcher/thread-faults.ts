/**
 * Errors of jobs in threads, which arrive without their class: the thread itself says whether the
 * email is the cause. See set-aside.ts.
 */
import { causeChain } from '../adapters/process/log.ts';
import { reasonOf, Unprocessable } from '../core/delivery/unprocessable.ts';
import { Interrupted, isOutage } from '../platform/outages.ts';

export type Fault = { fault: { reason: string; detail: string } };

/** In the thread: an outage is an error, and everything else a result. */
export async function orFault<T>(work: Promise<T>): Promise<T | Fault> {
  try {
    return await work;
  } catch (error) {
    if (isOutage(error)) throw error;
    return { fault: { reason: reasonOf(error), detail: causeChain(error) } };
  }
}

/** In the main thread. */
export async function unlessFault<T extends object | undefined>(
  job: Promise<T | Fault>,
): Promise<T> {
  const result = await job.catch((cause: unknown) => {
    throw new Interrupted('a job of a thread', { cause });
  });
  if (result === undefined || !('fault' in result)) return result;
  throw new Unprocessable(result.fault.reason, result.fault.detail);
}
