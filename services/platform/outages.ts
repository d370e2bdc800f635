/** Whether something failed because a server that Inlet needs is away, so that it may succeed later. */
import { isTemporary } from '../adapters/mongo/errors.ts';
import { isNatsTemporary } from '../adapters/stream/errors.ts';

export const isOutage = (error: unknown): boolean => isTemporary(error) || isNatsTemporary(error);
