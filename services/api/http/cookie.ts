/**
 * The cookie of a session. Over TLS its name begins with `__Host-`, so that no other host can set
 * it (RFC 6265bis §4.1.3.2). Plain HTTP works only on the loopback interface.
 */
import type { IncomingMessage } from 'node:http';

import { AppError } from '../../core/error/app-error.ts';
import { arrivedOverTls } from './state/https.ts';

const PLAIN_NAME = 'inlet-session';
export const SECURE_COOKIE = `__Host-${PLAIN_NAME}`;

/** Hosts that browsers treat as secure without TLS: they send Sec-Fetch-Site there, too. */
const LOOPBACK = /^(localhost|[\w-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

const isLoopback = (request: IncomingMessage): boolean => LOOPBACK.test(request.headers.host ?? '');

/**
 * `https://host` or, on the loopback interface, `http://host`: the origin of the dashboard's pages.
 * @throws AppError `https_required` for plain HTTP elsewhere
 */
export function originOf(request: IncomingMessage, trustedProxies: readonly string[]): string {
  const isSecure = arrivedOverTls(request, trustedProxies);
  if (!isSecure && !isLoopback(request))
    throw new AppError(
      'https_required',
      'The dashboard requires HTTPS. If a proxy terminates TLS, its network must be in TRUSTED_PROXIES',
    );
  return `${isSecure ? 'https' : 'http'}://${request.headers.host ?? ''}`;
}

/** The value of a cookie of this request. */
export function cookieOf(
  request: IncomingMessage,
  trustedProxies: readonly string[],
  plainName: string,
): string | undefined {
  const name = arrivedOverTls(request, trustedProxies) ? `__Host-${plainName}` : plainName;
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const separator = pair.indexOf('=');
    if (separator > 0 && pair.slice(0, separator).trim() === name)
      return pair.slice(separator + 1).trim();
  }
  return undefined;
}

/** The secret of the session that this request uses. */
export const sessionSecretOf = (
  request: IncomingMessage,
  trustedProxies: readonly string[],
): string | undefined => {
  const isUsable = arrivedOverTls(request, trustedProxies) || isLoopback(request);
  return isUsable ? cookieOf(request, trustedProxies, PLAIN_NAME) : undefined;
};

/** The value of `Set-Cookie` (RFC 6265 §4.1). An age of 0 removes the cookie. */
export function setCookie(
  request: IncomingMessage,
  trustedProxies: readonly string[],
  { name, value, maxAgeSeconds, sameSite }: Cookie,
): string {
  const isSecure = arrivedOverTls(request, trustedProxies);
  return (
    `${isSecure ? '__Host-' : ''}${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; ` +
    `SameSite=${sameSite}${isSecure ? '; Secure' : ''}`
  );
}

type Cookie = {
  /** The name without `__Host-`. */
  name: string;
  value: string;
  maxAgeSeconds: number;
  sameSite: 'Strict' | 'Lax';
};

export const sessionCookie = (secret: string, maxAgeSeconds: number): Cookie => ({
  name: PLAIN_NAME,
  value: secret,
  maxAgeSeconds,
  sameSite: 'Strict',
});
