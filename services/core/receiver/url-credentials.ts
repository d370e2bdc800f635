/** User name and password in a webhook URL, the form that guides of other services show (D340). */
import { AppError, type FieldRule } from '../error/app-error.ts';

const FIELDS = ['webhook_url', 'url'];

/**
 * The same body with the user name and password of its URL as `auth.basic`: a URL is shown and
 * logged, a password never.
 * @throws AppError when it has an `auth` of its own, or the user info is not percent-encoded UTF-8
 */
export function withCredentialsOfUrl(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  for (const [field, text] of Object.entries(body)) {
    const url = FIELDS.includes(field) && typeof text === 'string' ? URL.parse(text) : null;
    if (url === null || (url.username === '' && url.password === '')) continue;
    if ('auth' in body && body.auth !== null)
      throw refusal(field, 'conflict', 'must have no user name and no password together with auth');
    const basic = basicOf(url);
    if (basic === undefined)
      throw refusal(field, 'invalid_url', 'must have user name and password in UTF-8, as %C3%BC');
    return { ...body, [field]: withoutUserInfo(String(text)), auth: { basic } };
  }
  return body;
}

const refusal = (field: string, code: FieldRule, message: string) =>
  new AppError('validation_failed', `${field} ${message}`, { details: { field, code } });

function basicOf({ username, password }: URL): { username: string; password: string } | undefined {
  try {
    return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}

/** As it was written otherwise: the rules for webhook URLs also judge what a parser would mend. */
const withoutUserInfo = (text: string): string => text.replace(/^([^/?#]*\/\/)[^/?#]*@/, '$1');
