/** What the middlewares know of a request and tell each other. */
import type { TokenIdentity } from '../../core/account/token.ts';

export type ApiState = {
  requestId: string;
  /** Path of the endpoint as it is documented; absent while none is found. */
  route?: string;
  /** Absent before authentication. */
  caller?: TokenIdentity;
};
