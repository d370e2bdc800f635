/**
 * Makes an email's HTML readable without risk: only elements and attributes that format text remain,
 * so nothing runs, loads or leads anywhere. The response adds a sandbox, in case this misses one.
 * Any sender can choose the HTML, so the work is bounded.
 */
import { Parser } from 'htmlparser2';

import { HTML_MAX_CHARS } from '../../core/webhook/shown-email.ts';
import { decodedId } from '../../core/webhook/inline-parts.ts';

/** An inline image: `data:image/png;base64,…`. */
type InlineImages = ReadonlyMap<string, { contentType: string; base64: string }>;

const FORMATTING = new Set(
  (
    'a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup ' +
    'dd del details dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ' +
    'ins kbd li main mark nav ol p pre q rp rt ruby s samp section small span strike strong style sub ' +
    'summary sup table tbody td tfoot th thead time tr tt u ul var wbr'
  ).split(' '),
);
/** Elements whose content is not text to read. The content of all other unknown elements remains. */
const DROPPED = new Set(
  (
    'applet audio button canvas datalist embed frame frameset iframe input math noembed ' +
    'noframes noscript object option plaintext script select svg template textarea title video xmp'
  ).split(' '),
);
const VOID = new Set(['br', 'col', 'hr', 'img', 'wbr']);
const ATTRIBUTES = new Set(
  (
    'abbr align alt bgcolor border cellpadding cellspacing class color colspan datetime dir face ' +
    'height hspace lang nowrap open reversed rowspan scope size span start style title valign value ' +
    'vspace width'
  ).split(' '),
);
const IMAGE_TYPE = /^image\/(png|jpe?g|gif|webp|avif|bmp)$/i;
const DATA_IMAGE = /^data:(image\/[a-z]+);base64,([a-z0-9+/=\s]+)$/i;

const LINK = /^\s*(https?:\/\/|mailto:)/i;
const linkTo = (href: string) =>
  [
    ['data-href', href.trim()],
    ['role', 'link'],
    ['tabindex', '0'],
  ] as const;

/** An image from the internet that is as small only counts who reads the email. */
const isTiny = (attributes: ReadonlyMap<string, string>): boolean =>
  ['width', 'height'].some((side) => /^\s*[012](px)?\s*$/.test(attributes.get(side) ?? ''));

const DEPTH_MAX = 200;
/** The parser takes longer for each level. Everything after a deeper element is left out. */
const PARSED_DEPTH_MAX = 1_000;
/** Tags, attributes and texts; the rest is left out. A long newsletter has 30,000. */
const PIECES_MAX = 100_000;
/** Parsed before the work is measured again. */
const STEP_CHARS = 16 * 1024;
/**
 * Escaped in one step, so the rest of a longer attribute or text is left out. The parser hands over
 * an ordinary long text in parts; only one full of `&` or `<` comes as a whole.
 */
const ESCAPED_MAX_CHARS = 64 * 1024;
const IMAGES_MAX_CHARS = 8 * 1024 * 1024;

const STYLE =
  'html{color-scheme:light;background:#fff;color:#1b1c1e;font:15px/1.55 system-ui,sans-serif;' +
  'overflow-wrap:break-word}body{margin:16px;overflow-x:auto}img{max-width:100%;height:auto}' +
  'img:not([src]){display:inline-block;padding:2px 6px;border:1px dashed #999;color:#555}' +
  'a{color:#0b6472;text-decoration:underline}a[data-href]{cursor:pointer}pre{white-space:pre-wrap}';
const HEAD =
  '<!doctype html><html lang="und"><head><meta charset="utf-8"><title>Email</title>' +
  `<style>${STYLE}</style></head><body>`;

/**
 * @param html as in the email
 * @param images by Content-ID without angle brackets @returns a whole document
 */
export function readableHtml(html: string, images: InlineImages): Buffer {
  const page: Buffer[] = [];
  const out: string[] = [];
  const attributes = new Map<string, string>(); // of the tag that is being read
  const open: string[] = []; // elements that are written and not closed
  let dropped = 0; // elements without text to read that are open
  let depth = 0;
  let pieces = 0;
  let isCut = false;
  let isInStyle = false;
  let imageChars = 0;

  const imageSource = (source: string): string | undefined => {
    const [, type = '', base64 = ''] = DATA_IMAGE.exec(source) ?? [];
    const image = /^cid:/i.test(source)
      ? images.get(decodedId(source.slice('cid:'.length)))
      : { contentType: type, base64 };
    if (!image || !IMAGE_TYPE.test(image.contentType)) return undefined;
    imageChars += image.base64.length;
    if (imageChars > IMAGES_MAX_CHARS) return undefined;
    return `data:${image.contentType};base64,${image.base64}`;
  };

  const attributesOf = (name: string): string => {
    const shown = new Map([...attributes].filter(([key]) => ATTRIBUTES.has(key)));
    const { href, src, alt } = Object.fromEntries(attributes);
    // where a link leads is shown, and it leads nowhere by itself
    if (name === 'a' && href) {
      shown.set('title', href);
      // the dashboard reads it and asks before it follows it
      if (LINK.test(href)) for (const [key, value] of linkTo(href)) shown.set(key, value);
    }
    const source = name === 'img' ? imageSource(src ?? '') : undefined;
    if (source !== undefined) shown.set('src', source);
    else if (name === 'img' && !alt) shown.set('alt', 'image');
    return [...shown].map(([key, value]) => ` ${key}="${escapeHtml(value)}"`).join('');
  };

  const hasRoom = (): boolean => {
    isCut ||= ++pieces > PIECES_MAX || depth > PARSED_DEPTH_MAX;
    if (isCut) parser.pause();
    return !isCut;
  };
  const parser = new Parser(
    {
      onopentagname: () => attributes.clear(),
      onattribute: (name, value) => {
        if (!hasRoom() || attributes.has(name)) return; // the first one counts (HTML §13.2.5.33)
        if (name === 'src') attributes.set(name, value);
        else if (ATTRIBUTES.has(name) || name === 'href')
          attributes.set(name, value.slice(0, ESCAPED_MAX_CHARS));
      },
      onopentag: (name) => {
        depth++;
        if (!hasRoom()) return;
        if (DROPPED.has(name)) dropped++;
        if (dropped > 0) return;
        const element = name === 'body' ? 'div' : name;
        if (!FORMATTING.has(element) || open.length >= DEPTH_MAX) return;
        if (element === 'img' && isTiny(attributes)) return;
        out.push(`<${element}${attributesOf(element)}>`);
        if (VOID.has(element)) return;
        open.push(element);
        isInStyle = element === 'style';
      },
      ontext: (whole) => {
        if (!hasRoom() || dropped > 0) return;
        const text = whole.slice(0, ESCAPED_MAX_CHARS);
        // in CSS an escape keeps the style sheet from ending early (CSS Syntax §4.3.7)
        out.push(isInStyle ? text.replaceAll('<', '\\3c ') : escapeHtml(text));
      },
      onclosetag: (name) => {
        depth--;
        if (!hasRoom()) return;
        if (DROPPED.has(name)) dropped = Math.max(0, dropped - 1);
        if (dropped > 0) return;
        const element = name === 'body' ? 'div' : name;
        const at = open.lastIndexOf(element);
        if (at === -1) return;
        for (const one of open.splice(at).toReversed()) out.push(`</${one}>`);
        isInStyle = false;
      },
    },
    { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  );
  for (let at = 0, end = 0; at < HTML_MAX_CHARS && at < html.length && !isCut; at = end) {
    end = at + STEP_CHARS;
    if ((html.codePointAt(end - 1) ?? 0) > 0xffff) end++; // a character of two units stays whole
    parser.write(html.slice(at, end));
    page.push(Buffer.from(out.splice(0).join('')));
  }
  if (!isCut) parser.end();
  out.push(...open.toReversed().map((name) => `</${name}>`));
  return Buffer.concat([Buffer.from(HEAD), ...page, Buffer.from(`${out.join('')}</body></html>`)]);
}

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
