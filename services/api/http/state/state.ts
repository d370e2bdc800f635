/** The state of a request that middlewares share. */
import type { TokenIdentity } from '../../../core/token/token.ts';

export type ApiState = {
  requestId: string;
  /** Documented path of the endpoint; absent until one matches. */
  route?: string;
  /** The request waits for something to happen, so its duration says nothing about the API. */
  isSlow?: boolean;
  /** Trace of the request; absent until its response, and while tracing is off. */
  traceId?: string;
  /** Absent before authentication. */
  caller?: TokenIdentity;
};
