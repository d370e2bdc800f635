/** What errors of the servers and threads that Inlet needs mean for an email, and for a start. */
import { DeadlineError } from '../../adapters/async/deadline.ts';
import { isTemporary } from '../../adapters/mongo/database/errors.ts';
import { isNatsTemporary } from '../../adapters/stream/connection/errors.ts';
import { type Cause, causeOfError } from '../../core/delivery/fault.ts';

const isServerAway = (error: unknown): boolean =>
  error instanceof DeadlineError || isTemporary(error) || isNatsTemporary(error);

export const causeOf = (error: unknown): Cause => causeOfError(error, isServerAway);

/** Whether something failed because a server is away, so that it may succeed later. */
export const isOutage = (error: unknown): boolean => causeOf(error) === 'server_away';
