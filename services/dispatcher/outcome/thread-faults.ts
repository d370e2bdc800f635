/** Errors of jobs in threads, which arrive without their class: the thread itself names the cause. */
import { DeadlineError } from '../../adapters/async/deadline.ts';
import { causeChain } from '../../adapters/process/log.ts';
import { isNatsTemporary } from '../../adapters/stream/connection/errors.ts';
import {
  type Cause,
  causeOfError,
  OwnFault,
  Unprocessable,
  unprocessableReason,
  whoseFault,
} from '../../core/delivery/fault.ts';

export type Fault = { fault: { cause: Cause; reason: string; detail: string } };

/** The only server that a thread uses is NATS. */
const isServerAway = (error: unknown): boolean =>
  error instanceof DeadlineError || isNatsTemporary(error);

/** In the thread. */
export async function orFault<T>(work: Promise<T>): Promise<T | Fault> {
  try {
    return await work;
  } catch (error) {
    const cause = causeOfError(error, isServerAway);
    return { fault: { cause, reason: unprocessableReason(error), detail: causeChain(error) } };
  }
}

/** The result of a job in a thread. @throws OwnFault, or Unprocessable when the email is the cause */
export async function unlessFault<T extends object | undefined>(
  job: Promise<T | Fault>,
): Promise<T> {
  const result = await job.catch((cause: unknown) => {
    throw new OwnFault('thread_ended', 'a job of a thread', { cause });
  });
  if (result === undefined || !('fault' in result)) return result;
  const { cause, reason, detail } = result.fault;
  throw whoseFault(cause) === 'ours'
    ? new OwnFault(cause, detail)
    : new Unprocessable(reason, detail);
}
