/** URLs and names of hosts in text. */

const SCHEME = /https?:\/\//gi;
const BARE_URL_MAX = 500;
/** Signs that end a sentence rather than a URL. */
const AFTER_URL = new Set(".,;:!?'*_`|\\");
const CLOSING = [
  [')', '('],
  [']', '['],
  ['}', '{'],
] as const;

/** A URL in angle brackets may be broken over lines (RFC 3986 appendix C). */
const BROKEN_URL = /<(?:URL:)?https?:\/\/[^<>\s]+(?:[ \t]*\r?\n[ \t]*[^<>\s]+){1,20}\s?>/gi;

/** The URLs that mail programs make links of, without the signs after them. */
export function* bareUrls(written: string): Generator<string> {
  const text = written.replace(BROKEN_URL, (broken) => broken.replace(/\s+/g, ''));
  const scheme = new RegExp(SCHEME);
  for (let count = 0; count < BARE_URL_MAX; count++) {
    const found = scheme.exec(text);
    if (found === null) return;
    const end = endOfUrl(text, found.index + found[0].length);
    scheme.lastIndex = end;
    yield withoutEnd(text.slice(found.index, end));
  }
}

const LETTER = /[\p{L}\p{M}\p{N}]/u;
const LATIN = /[\p{sc=Latin}\p{sc=Common}\p{sc=Inherited}]/u;
/** Scripts without blanks between words, and Hangul, which joins particles to words. */
const UNSPACED = new RegExp(
  String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{sc=Hangul}` +
    String.raw`\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}\p{sc=Yi}]`,
  'u',
);

/**
 * A URL is ASCII (RFC 3986 §2), or an IRI with letters of a script with blanks. It ends at a sign of
 * any other script, and where its script changes within a word. A host may be in any script.
 */
function endOfUrl(text: string, start: number): number {
  const isUnspacedHost = UNSPACED.test(String.fromCodePoint(text.codePointAt(start) ?? 0));
  let isHost = true;
  let at = start;
  while (at < text.length) {
    const code = text.codePointAt(at) as number;
    if (code < 0x80) {
      if (code <= 0x20 || code === 0x7f || '<>"'.includes(text[at] as string)) return at;
      if (text[at] === '|' && /^\|https?:/i.test(text.slice(at, at + 7))) return at; // a list
      isHost &&= !'/?#'.includes(text[at] as string);
      at++;
      continue;
    }
    const sign = String.fromCodePoint(code);
    if (!LETTER.test(sign) || (UNSPACED.test(sign) && !(isHost && isUnspacedHost))) return at;
    if (/[A-Za-z0-9]/.test(text[at - 1] as string) && !LATIN.test(sign)) return at;
    at += sign.length;
  }
  return at;
}

function withoutEnd(url: string): string {
  const unpaired = CLOSING.filter(([, opening]) => !url.includes(opening)).map(([sign]) => sign);
  let end = url.length;
  while (end > 0 && isAfterUrl(url[end - 1] as string, unpaired)) end--;
  return url.slice(0, end);
}

const isAfterUrl = (sign: string, unpaired: readonly string[]): boolean =>
  AFTER_URL.has(sign) || unpaired.includes(sign);

/** Before a host that is shown within more text. */
const SHOWN_URL = /(?:https?:\/\/|(?<![\p{L}\p{N}])(?=www\.))/iu;
const HOST = /^[^\s<>"'/?#:@()[\]{},;!]{1,253}/;
/** A text that is nothing but a host, perhaps with a path. */
const HOST_ALONE = /^((?:[\p{L}\p{N}-]{1,63}\.){1,8}[\p{L}]{2,24})(?:[/?#:]\S*)?$/u;
/** A host between words. Its last part is neither a word nor a file extension. */
const HOST_IN_TEXT =
  /(?<![a-z0-9@._/-])((?:[a-z0-9-]{1,63}\.){1,8}([a-z]{2,24}))(?![a-z0-9@_-]|\.[a-z0-9])/gi;
const DOMAINS_IN_TEXT = new Set(
  (
    'com net org info biz edu gov mil int io app dev ai co tv cloud online shop store site xyz bank ' +
    'tech blog news live page link club eu uk de fr es nl ch pl cz se dk fi ru ua cn jp kr br mx ar au ' +
    'nz ca za tr gr pt ie hu ro bg il sk si hr lt lv ee lu li mt cy hk tw sg th vn ph id pk ng ke eg ma ' +
    'sa ae ir'
  ).split(' '),
);
/** Last parts of names of files and products that look like a host. */
const NO_DOMAINS = new Set(
  'js ts cs go rb md py sh rs net- php asp html htm pdf txt zip csv'.split(' '),
);

/** The host, in ASCII, that a text seems to lead to; undefined when it shows none. */
export function hostShownBy(text: string): string | undefined {
  const shown = hostOfUrl(text) ?? hostAlone(text) ?? hostInText(text);
  const url = shown === undefined ? '' : `http://${shown}`;
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

function hostOfUrl(text: string): string | undefined {
  const found = SHOWN_URL.exec(text);
  if (found === null) return undefined;
  const start = found.index + found[0].length;
  return HOST.exec(text.slice(start, endOfUrl(text, start)))?.[0].replace(/\.$/, '');
}

const isMixed = (label: string): boolean => UNSPACED.test(label) && /[a-z0-9]/.test(label);

function hostAlone(text: string): string | undefined {
  const host = HOST_ALONE.exec(text.trim())?.[1]?.toLowerCase();
  if (host === undefined || NO_DOMAINS.has(host.slice(host.lastIndexOf('.') + 1))) return undefined;
  return host.split('.').some(isMixed) ? undefined : host; // `在bank.com登录`
}

function hostInText(text: string): string | undefined {
  for (const [, host = '', last = ''] of text.matchAll(HOST_IN_TEXT))
    if (DOMAINS_IN_TEXT.has(last.toLowerCase())) return host.toLowerCase();
  return undefined;
}
