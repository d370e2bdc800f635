/** Whether something failed because a server that Inlet needs is away, so that it may succeed later. */
import { DeadlineError } from '../../adapters/async/deadline.ts';
import { isTemporary } from '../../adapters/mongo/database/errors.ts';
import { isNatsTemporary } from '../../adapters/stream/connection/errors.ts';
import { AppError } from '../../core/app-error.ts';

/** A thread or a request ended, and nobody knows whose fault it was. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

export function isOutage(error: unknown): boolean {
  if (error instanceof Interrupted || error instanceof DeadlineError) return true;
  if (error instanceof AppError) return error.kind === 'unavailable';
  return isTemporary(error) || isNatsTemporary(error);
}
