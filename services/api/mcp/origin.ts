/**
 * Which web pages may call the MCP server: those of the API's own origin, and those of the user's
 * own machine. Any other page could have changed the DNS record of its host to reach a server that
 * only its user reaches (DNS rebinding), so the Host header proves nothing (MCP,
 * basic/transports/streamable-http: security).
 */
import type { IncomingMessage } from 'node:http';

import { AppError } from '../../core/error/app-error.ts';

const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/;

/** Programs send no Origin. @throws AppError `forbidden` */
export function requireOwnOrigin(
  { headers: { origin } }: Pick<IncomingMessage, 'headers'>,
  publicOrigin: string | undefined,
): void {
  if (origin === undefined || origin === publicOrigin || LOOPBACK.test(origin)) return;
  throw new AppError('forbidden', 'Pages of this origin cannot call the MCP server');
}
