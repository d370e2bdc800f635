/**
 * Walks through the HTML of an email once, for several readers, and tells them which text a person
 * does not see. Any sender can choose the HTML, so depth and number of its pieces are bounded.
 */
import { Parser } from 'htmlparser2';

import { type HiddenReason, hiddenBy, type Look, lookOf, PAGE_LOOK } from './look.ts';
import { type Styled, styledOf } from './selector.ts';
import { createStyleSheet } from './style-sheet.ts';

export type HtmlElement = {
  name: string;
  attributes: Readonly<Record<string, string>>;
  /** Why a person does not see it; undefined when it is visible. */
  hiddenBy: HiddenReason | undefined;
};

/** Elements come in their order, and each that is opened is closed. */
export type HtmlReader = {
  open?(element: HtmlElement): void;
  /** @param text as long as possible: between two tags */
  text?(text: string, hiddenBy: HiddenReason | undefined): void;
  close?(element: HtmlElement): void;
};

/** Elements whose content does not belong to the text of the email. */
const DROPPED = new Set(
  (
    'applet audio canvas datalist embed frame frameset iframe input math noembed noframes ' +
    'object option plaintext script select svg template textarea title video xmp'
  ).split(' '),
);
const DEPTH_MAX = 250;
/** Tags, attributes and texts; the rest is left out. A long newsletter has 30,000. */
const PIECES_MAX = 50_000;
const VALUE_MAX_CHARS = 16 * 1024;

type Open = { element: HtmlElement & Styled; look: Look };

/**
 * Returns whether it has read all of it.
 * @param html already cut to the length that is read
 */
export function readHtml(html: string, readers: readonly HtmlReader[]): boolean {
  const sheet = createStyleSheet();
  const open: Open[] = [];
  let attributes: Record<string, string> = {};
  let text = '';
  let css: string | undefined; // of the style element that is open
  let dropped = 0; // open elements without text of the email
  let depth = 0;
  let pieces = 0;
  let isWhole = true;

  const hasRoom = (): boolean => {
    if (++pieces <= PIECES_MAX && depth <= DEPTH_MAX) return true;
    parser.pause();
    isWhole = false;
    return false;
  };
  const flushText = () => {
    if (text === '') return;
    const reason = hiddenBy(open.at(-1)?.look ?? PAGE_LOOK);
    for (const reader of readers) reader.text?.(text, reason);
    text = '';
  };
  const close = () => {
    flushText();
    const closed = open.pop();
    if (closed) for (const reader of readers.toReversed()) reader.close?.(closed.element);
  };

  const parser = new Parser(
    {
      onopentagname: () => {
        attributes = Object.create(null) as Record<string, string>;
      },
      onattribute: (name, value) => {
        if (hasRoom()) attributes[name] ??= value.slice(0, VALUE_MAX_CHARS); // the first one counts
      },
      onopentag: (name) => {
        depth++;
        if (!hasRoom()) return;
        if (name === 'style') css = '';
        if (DROPPED.has(name)) dropped++;
        if (dropped > 0) return;
        flushText();
        const styled = styledOf(name, attributes);
        const look = lookOf(
          open.at(-1)?.look ?? PAGE_LOOK,
          name,
          attributes,
          sheet.of(styled, open),
        );
        const element = Object.assign(styled, { hiddenBy: hiddenBy(look) });
        open.push({ element, look });
        for (const reader of readers) reader.open?.(element);
      },
      ontext: (piece) => {
        if (!hasRoom() || dropped > 0) return;
        if (css === undefined) text += piece;
        else css += piece;
      },
      onclosetag: (name) => {
        depth--;
        if (!hasRoom()) return;
        if (DROPPED.has(name)) dropped = Math.max(0, dropped - 1);
        else if (dropped === 0 && open.at(-1)?.element.name === name) close();
        if (name === 'style' && css !== undefined) {
          sheet.add(css);
          css = undefined;
        }
      },
    },
    { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  );
  parser.end(html);
  flushText();
  while (open.length > 0) close();
  return isWhole;
}
