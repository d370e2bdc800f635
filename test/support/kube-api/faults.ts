/**
 * Faults of an API server, which tests order: the nth call of a kind is refused, its connection
 * drops, or something else happens first.
 */
import { ApiError } from './api-error.ts';

/** What happens to a call; one of these. */
export type Fault = {
  /** It is refused with this status. */
  status?: number;
  reason?: string;
  message?: string;
  retryAfterSeconds?: number;
  /** The connection breaks before the server has the call, or when it has executed it. */
  drops?: 'request' | 'response';
  /** This happens immediately before the server executes it. */
  after?: () => unknown;
};

export type Occasion = {
  /** Verb and resource as in a Role, such as `create secrets` or `patch accounts/status`. */
  on?: string | RegExp;
  /** Of this namespace only. */
  namespace?: string;
  /** The first of the matching calls that fails, from 1. */
  nth?: number;
  /** How many fail. One by default. */
  times?: number;
};

type Ordered = {
  fault: Fault;
  on: string | RegExp;
  namespace: string | undefined;
  skips: number;
  left: number;
};

export type Faults = {
  /** @returns what ends this fault */
  order(fault: Fault, occasion?: Occasion): () => void;
  /** Every call works again. */
  heal(): void;
  /** The fault of this call. */
  next(call: string, namespace: string): Fault;
};

export function createFaults(): Faults {
  let ordered: Ordered[] = [];
  return {
    order: (fault, { on = /./, namespace, nth = 1, times = 1 } = {}) => {
      const one = { fault, on, namespace, skips: nth - 1, left: times };
      ordered.push(one);
      return () => void (one.left = 0);
    },
    heal: () => {
      ordered = [];
    },
    next: (call, namespace) => {
      const found = ordered.find(
        (one) =>
          one.left > 0 &&
          (one.namespace ?? namespace) === namespace &&
          (one.on instanceof RegExp ? one.on.test(call) : one.on === call),
      );
      if (found === undefined || found.skips-- > 0) return {};
      found.left--;
      return found.fault;
    },
  };
}

const REASONS: Record<number, string> = {
  403: 'Forbidden',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

export const refusalOf = (status: number, { reason, message }: Fault) =>
  new ApiError(status, reason ?? REASONS[status] ?? 'Unknown', message ?? `fault ${status}`);
