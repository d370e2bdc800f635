/**
 * The links of an email that a person sees, and which of them a test or an agent is to follow: the one
 * that confirms, rather than the logo. They are never fetched.
 */
import { wordsIn } from './code-context.ts';
import { type Link, LINKS_MAX } from './extraction.ts';
import type { HtmlElement, HtmlReader } from '../html/html-reader.ts';
import { withoutInvisible } from '../html/invisible-characters.ts';
import { bareUrls, hostShownBy } from './shown-url.ts';
import { saysUnsubscribe } from './unsubscribe-words.ts';
import { cutText } from '../text/text.ts';

const TEXT_MAX_CHARS = 200;
/** Longer URLs are left out. */
const URL_MAX_CHARS = 4096;
/** All URLs may have so many characters together; the rest is left out. */
const URLS_MAX_CHARS = 128 * 1024;
const LINK_NAMES = new Set(['a', 'area']);

type Header = { name: string; value: string };
type OpenLink = { element: HtmlElement; href: string; text: string };

/** @param headers of the email, where List-Unsubscribe counts */
export function createLinks(headers: readonly Header[]): HtmlReader & {
  /** @param plain the text of the email */
  found(plain: string): Link[];
  /** Whether it has left out none. */
  isWhole(): boolean;
} {
  const links = new Map<string, Link>();
  const unsubscribes = unsubscribeUrls(headers);
  let open: OpenLink | undefined;
  let base: URL | undefined; // for relative links (HTML §4.2.3)
  let urlChars = 0;
  let isWhole = true;

  const add = (href: string, shown: string | null) => {
    const url = parsedUrl(href, base?.href);
    if (url === undefined) return;
    const text = (shown && cutText(shown, TEXT_MAX_CHARS)) || null;
    const showsOther = text !== null && isOtherHost(hostShownBy(text), url.hostname);
    const isUnsubscribe = unsubscribes.has(url.href) || saysUnsubscribe(text ?? '', url.href);
    const known = links.get(url.href);
    if (known) {
      known.text ??= text;
      known.shows_other_host ||= showsOther;
      known.is_unsubscribe ||= isUnsubscribe;
      return;
    }
    urlChars += url.href.length;
    if (links.size >= LINKS_MAX || urlChars > URLS_MAX_CHARS) {
      isWhole = false;
      return;
    }
    links.set(url.href, {
      url: url.href,
      text,
      host: url.hostname,
      shows_other_host: showsOther,
      is_unsubscribe: isUnsubscribe,
    });
  };
  const addBare = (text: string) => {
    for (const url of bareUrls(text)) add(url, null);
  };
  const end = () => {
    if (open) add(open.href, oneLine(open.text));
    open = undefined;
  };

  return {
    open: (element) => {
      const { name, attributes, hiddenBy } = element;
      if (name === 'base') base ??= parsedUrl(attributes.href ?? '');
      else if (LINK_NAMES.has(name)) {
        end();
        if (attributes.href !== undefined && (hiddenBy === undefined || name === 'area'))
          open = { element, href: attributes.href, text: attributes.alt ?? '' };
      } else if (name === 'img' && open && hiddenBy !== 'not_displayed')
        open.text += ` ${attributes.alt ?? ''} `;
      else if (open && open.text.length < TEXT_MAX_CHARS) open.text += SPACED.has(name) ? ' ' : '';
    },
    text: (text, hiddenBy) => {
      if (hiddenBy !== undefined) return;
      if (!open) addBare(text);
      else if (open.text.length < TEXT_MAX_CHARS) open.text += text;
    },
    close: (element) => {
      if (element === open?.element) end();
    },
    found: (plain) => {
      end();
      addBare(plain);
      for (const url of unsubscribes) add(url, null);
      return [...links.values()];
    },
    isWhole: () => isWhole,
  };
}

/** Elements that begin a new word. */
const SPACED = new Set(['br', 'div', 'p', 'td', 'tr', 'table', 'li', 'h1', 'h2', 'h3', 'h4']);

const oneLine = (text: string): string =>
  withoutInvisible(text.slice(0, URL_MAX_CHARS)).replaceAll(/\s+/g, ' ').trim();

/** @param base that the email names; without one, only a scheme may be missing (RFC 3986 §4.2) */
function parsedUrl(href: string, base?: string): URL | undefined {
  const text = href.trim();
  const whole = text.startsWith('//') && base === undefined ? `https:${text}` : text;
  if (text.length > URL_MAX_CHARS || !URL.canParse(whole, base)) return undefined;
  const url = new URL(whole, base);
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  return isWeb && url.href.length <= URL_MAX_CHARS ? url : undefined;
}

/** In angle brackets, where a comma is a part of the URL; some senders leave them out. */
const LISTED_URL = /<[^<>]*>|[^<>,]+/g;

/** URLs of List-Unsubscribe (RFC 2369 §3.2), which RFC 8058 makes work with one click. */
function unsubscribeUrls(headers: readonly Header[]): Set<string> {
  const value = headers.find(({ name }) => name.toLowerCase() === 'list-unsubscribe')?.value ?? '';
  const parts = value.slice(0, 2 * URL_MAX_CHARS).match(LISTED_URL) ?? [];
  const urls = parts.map((part) => parsedUrl(part.replaceAll(/[<>\s]/g, ''))?.href);
  return new Set(urls.filter((url) => url !== undefined));
}

/** A subdomain belongs to the host. */
function isOtherHost(shown: string | undefined, actual: string): boolean {
  if (shown === undefined) return false;
  const [a, b] = [shown, actual].map((host) => host.replace(/^www\./, ''));
  return a !== b && !`.${a}`.endsWith(`.${b}`) && !`.${b}`.endsWith(`.${a}`);
}

/** Which links count. Those that unsubscribe never do. */
export type LinkWish = {
  /** Part of the text, in any case. */
  text?: string | undefined;
  /** Host, or a domain above it. */
  host?: string | undefined;
};

/** What people do with a link, in addition to the words of codes. */
const CONFIRMS = /\b(confirm|verify|activate|accept|reset|join|log ?in|sign ?in|get started)\b/i;
const URL_CONFIRMS =
  /confirm|verif|activat|valid|reset|recover|log-?in|sign-?in|magic|invit|auth|optin/i;
/** Pages that most emails link to, in the words of URLs. */
const URL_OF_FOOTER =
  /privacy|terms|imprint|impressum|legal|help|support|faq|preferences|settings|browser/i;
const LONG_TOKEN = /^(?=.*\d)[\w~.=+%-]{16,}$/;
const TOKEN = /^(?=.*\d)(?=.*[a-z])[\w-]{6,}$/i;

/** The first of those with the most points; undefined when no link counts. */
export function bestLink(links: readonly Link[], wish: LinkWish = {}): Link | undefined {
  let best: { link: Link; points: number } | undefined;
  for (const link of links) {
    if (link.is_unsubscribe || !isWished(link, wish)) continue;
    const points = pointsOf(link);
    if (best === undefined || points > best.points) best = { link, points };
  }
  return best?.link;
}

const isWished = (link: Link, { text, host }: LinkWish): boolean =>
  (text === undefined || (link.text ?? '').toLowerCase().includes(text.toLowerCase())) &&
  (host === undefined || `.${link.host}`.endsWith(`.${host.toLowerCase()}`));

function pointsOf({ url, text, shows_other_host: isOdd }: Link): number {
  const { pathname, search, searchParams } = new URL(url);
  const shown = text ?? '';
  const kinds = new Set(wordsIn(shown.toLowerCase()).map(({ kind }) => kind));
  const says = CONFIRMS.test(shown) || kinds.has('action') || kinds.has('strong');
  const pieces = [...pathname.split('/'), ...searchParams.values()];
  const token = pieces.some((piece) => LONG_TOKEN.test(piece))
    ? 3
    : pieces.some((piece) => TOKEN.test(piece))
      ? 2
      : 0;
  const isRoot = pathname === '/' && search === '';
  return (
    (says ? 5 : 0) +
    token +
    (URL_CONFIRMS.test(pathname) ? 2 : 0) -
    (URL_OF_FOOTER.test(pathname) ? 3 : 0) -
    (isRoot ? 2 : 0) -
    (isOdd ? 1 : 0)
  );
}
