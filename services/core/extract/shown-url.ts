/** URLs and names of hosts in text. */

const BARE_URL = /https?:\/\/[^\s<>"“”„«»「」『』（）]+/gi;
const BARE_URL_MAX = 500;
/** Signs that end a sentence rather than a URL. */
const AFTER_URL = new Set(".,;:!?'*_`’。、，：；！？…");
const CLOSING = [
  [')', '('],
  [']', '['],
  ['}', '{'],
] as const;

/** Before a host that is shown within more text. */
const SHOWN_URL = /(?:https?:\/\/|\bwww\.)[^\s<>"'/?#:@]+/i;
/** A text that is nothing but a host, perhaps with a path. */
const HOST_ALONE = /^((?:[\p{L}\p{N}-]{1,63}\.){1,8}[\p{L}]{2,24})(?:[/?#:]\S*)?$/u;
/** Last parts of names of files and products that look like a host. */
const NO_DOMAINS = new Set(
  'js ts cs go rb md py sh rs net- php asp html htm pdf txt zip csv'.split(' '),
);

/** The URLs that mail programs make links of, without the signs after them. */
export function* bareUrls(text: string): Generator<string> {
  let count = 0;
  for (const [url] of text.matchAll(BARE_URL)) {
    if (++count > BARE_URL_MAX) return;
    yield withoutEnd(url);
  }
}

function withoutEnd(url: string): string {
  const unpaired = CLOSING.filter(([, opening]) => !url.includes(opening)).map(([sign]) => sign);
  let end = url.length;
  while (end > 0 && isAfterUrl(url[end - 1] as string, unpaired)) end--;
  return url.slice(0, end);
}

const isAfterUrl = (sign: string, unpaired: readonly string[]): boolean =>
  AFTER_URL.has(sign) || unpaired.includes(sign);

/** The host, in ASCII, that a text seems to lead to; undefined when it shows none. */
export function hostShownBy(text: string): string | undefined {
  const shown = SHOWN_URL.exec(text)?.[0].replace(/^https?:\/\//i, '') ?? hostAlone(text);
  const url = shown === undefined ? '' : `http://${shown}`;
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

function hostAlone(text: string): string | undefined {
  const host = HOST_ALONE.exec(text.trim())?.[1]?.toLowerCase();
  return host === undefined || NO_DOMAINS.has(host.slice(host.lastIndexOf('.') + 1))
    ? undefined
    : host;
}
