/**
 * Declarations of CSS, as far as they hide text: of a `style` attribute, or of a rule of a style sheet.
 */
import { colorOf } from './color.ts';

export type Declared = { value: string; isImportant: boolean };
/**
 * Values in lower case of the properties that hide text. The shorthands `font` and `background` also
 * set `font-size` and `background-color`.
 */
export type Declarations = ReadonlyMap<string, Declared>;

export const NO_DECLARATIONS: Declarations = new Map();

/** Others are left out, so that the declarations of an element are few, whatever the email says. */
const PROPERTIES = new Set(
  (
    '-webkit-text-fill-color background background-color background-image bottom clip clip-path color ' +
    'content-visibility display filter font font-size height left margin-left margin-top max-height ' +
    'max-width opacity overflow overflow-y position right text-indent top transform visibility width'
  ).split(' '),
);
const VALUE_MAX_CHARS = 1_024;
const IMPORTANT = /!\s*important\s*$/;

/** The content of a `style` attribute, or of the braces of a rule. */
export function declarationsOf(text: string): Declarations {
  if (text === '') return NO_DECLARATIONS;
  const found = new Map<string, Declared>();
  const set = (property: string, declared: Declared) => {
    if (declared.isImportant || !found.get(property)?.isImportant) found.set(property, declared);
  };
  for (const one of unescaped(withoutComments(text.toLowerCase())).split(';')) {
    const colon = one.indexOf(':');
    if (colon === -1) continue;
    const property = one.slice(0, colon).trim();
    if (!PROPERTIES.has(property)) continue;
    const written = one.slice(colon + 1, colon + 1 + VALUE_MAX_CHARS).trim();
    const isImportant = written.includes('!') && IMPORTANT.test(written);
    const value = isImportant ? written.slice(0, written.lastIndexOf('!')).trim() : written;
    set(property, { value, isImportant });
    if (property === 'font') set('font-size', { value: fontSizeOf(value), isImportant });
    if (property === 'background')
      set('background-color', { value: backgroundColorOf(value), isImportant });
  }
  return found;
}

/** `d\\69splay` (CSS Syntax 3 §4.3.7). */
const unescaped = (css: string): string =>
  css.includes('\\')
    ? css.replaceAll(/\\(?:([0-9a-f]{1,6})[ \t\n]?|([^\n]))/g, (_, hex?: string, sign?: string) => {
        const code = Number.parseInt(hex ?? '', 16);
        return (
          sign ?? (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toLowerCase() : '')
        );
      })
    : css;

/** A number without a unit is a weight, unless it is zero. */
const FONT_SIZE = /(?:^|\s)(0|[\d.]+(?:[a-z]+|%))(?=[\s/])/;

/** `14px` for `bold 14px/20px Arial`. Sizes by name, and system fonts, are readable. */
const fontSizeOf = (font: string): string =>
  font === 'inherit' ? font : (FONT_SIZE.exec(font)?.[1] ?? 'medium');

const BACKGROUND_PARTS = /[a-z]{0,20}\([^()]*\)|[^\s()]+/g;

/** `#fff` for `#fff none repeat`; the whole value when no part is a color. */
const backgroundColorOf = (background: string): string =>
  background
    .match(BACKGROUND_PARTS)
    ?.find((part) => /^[#a-z]/.test(part) && colorOf(part) !== undefined) ?? background;

export function withoutComments(css: string): string {
  let kept = '';
  for (let at = 0; ;) {
    const start = css.indexOf('/*', at);
    if (start === -1) return kept + css.slice(at);
    kept += css.slice(at, start);
    const end = css.indexOf('*/', start + 2);
    if (end === -1) return kept;
    at = end + 2;
  }
}
