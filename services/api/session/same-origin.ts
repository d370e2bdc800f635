/**
 * Protection against requests that other sites make with a user's cookie. Browsers set
 * `Sec-Fetch-Site` themselves (Fetch Metadata), and scripts of other origins cannot add
 * `Inlet-Dashboard` without a CORS preflight, which the API never allows.
 */
import type { IncomingMessage } from 'node:http';

import { AppError } from '../../core/error/app-error.ts';

const DASHBOARD_HEADER = 'Inlet-Dashboard';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** @throws AppError `forbidden` for a request that the dashboard did not make */
export function requireSameOrigin(request: IncomingMessage, origin: string): void {
  const { headers, method = 'GET' } = request;
  const site = headers['sec-fetch-site'];
  const isRead = READS.has(method);
  // the user entered the URL or opened a bookmark; no other site is involved
  const isOpened = isRead && site === 'none' && headers['sec-fetch-mode'] === 'navigate';
  if (site !== 'same-origin' && !isOpened)
    throw new AppError(
      'forbidden',
      'A session works only for requests of the dashboard itself (Sec-Fetch-Site: same-origin)',
    );
  if (headers.origin !== undefined && headers.origin !== origin)
    throw new AppError('forbidden', 'A session works only for requests of its own origin');
  if (!isRead && headers[DASHBOARD_HEADER.toLowerCase()] !== '1')
    throw new AppError(
      'forbidden',
      `A change with a session needs the header ${DASHBOARD_HEADER}: 1`,
    );
}

/**
 * Whether somebody uses the page that sends the request. The dashboard says when it reloads a list by
 * itself, and browsers open streams again by themselves.
 */
export const isAttended = ({ headers }: IncomingMessage): boolean =>
  headers[DASHBOARD_HEADER.toLowerCase()] !== 'unattended' &&
  headers.accept !== 'text/event-stream';

/**
 * For the request that creates a session. A form of another site cannot send JSON, and a script
 * needs a preflight. Programs other than browsers send neither header.
 * @throws AppError `forbidden`
 */
export function refuseOtherSites({ headers }: IncomingMessage, origin: string): void {
  const site = headers['sec-fetch-site'];
  const isForeign =
    (site !== undefined && site !== 'same-origin') ||
    (headers.origin !== undefined && headers.origin !== origin);
  if (isForeign)
    throw new AppError('forbidden', 'Sessions can be created only by the dashboard itself');
}

/**
 * For a page that starts a sign-in: the user clicked on the sign-in screen or entered the URL.
 * @throws AppError `forbidden` for a link, a form or a frame of another site
 */
export function refuseLinksOfOtherSites({ headers }: IncomingMessage): void {
  if (['cross-site', 'same-site'].includes(String(headers['sec-fetch-site'])))
    throw new AppError('forbidden', 'A sign-in can be started only by the dashboard itself');
}
