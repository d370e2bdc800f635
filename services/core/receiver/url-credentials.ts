/** User name and password in a webhook URL, the form that guides of other services show (D340). */

const FIELDS = ['webhook_url', 'url'];

/**
 * The same body with the user name and password of its URL as `auth.basic`: a URL is shown and
 * logged, a password never. Unchanged when it has an `auth` of its own, or when the user info is not
 * percent-encoded UTF-8: then the URL is refused.
 */
export function withCredentialsOfUrl(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  if ('auth' in body && body.auth !== null) return body;
  for (const [field, text] of Object.entries(body)) {
    const url = FIELDS.includes(field) && typeof text === 'string' ? URL.parse(text) : null;
    if (url === null || (url.username === '' && url.password === '')) continue;
    const basic = basicOf(url);
    if (basic === undefined) return body;
    return { ...body, [field]: withoutUserInfo(String(text)), auth: { basic } };
  }
  return body;
}

function basicOf({ username, password }: URL): { username: string; password: string } | undefined {
  try {
    return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}

/** As it was written otherwise: the rules for webhook URLs also judge what a parser would mend. */
const withoutUserInfo = (text: string): string => text.replace(/^([^/?#]*\/\/)[^/?#]*@/, '$1');
