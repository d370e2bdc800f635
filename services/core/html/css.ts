/**
 * As much of CSS as is needed to find text that a person does not see: declarations, and style rules
 * for one element, class or id. Media queries and other selectors are not read.
 */

/**
 * Values of the properties that hide text, in lower case and without `!important`. The shorthands
 * `font` and `background` also set `font-size` and `background-color`.
 */
export type Declarations = ReadonlyMap<string, string>;

export const NO_DECLARATIONS: Declarations = new Map();

/** Others are left out, so that the declarations of an element are few, whatever the email says. */
const PROPERTIES = new Set(
  (
    'background background-color background-image bottom clip-path color display font font-size ' +
    'height left margin-left margin-top max-height max-width opacity overflow overflow-y position ' +
    'right text-indent top transform visibility width'
  ).split(' '),
);
const VALUE_MAX_CHARS = 1_024;
/** Of all style elements of an email. */
const [SHEETS_MAX_CHARS, RULES_MAX] = [128 * 1024, 2_000];
const CLASSES_MAX = 20;
const SIMPLE_SELECTOR = /^(?:[a-z][a-z0-9-]*)?(?:[.#][a-z_][\w-]*)?$/;

/** The content of a `style` attribute, or of the braces of a rule. */
export function declarationsOf(text: string): Declarations {
  if (text === '') return NO_DECLARATIONS;
  const found = new Map<string, string>();
  for (const one of withoutComments(text.toLowerCase()).split(';')) {
    const colon = one.indexOf(':');
    if (colon === -1) continue;
    const property = one.slice(0, colon).trim();
    if (!PROPERTIES.has(property)) continue;
    const value = one
      .slice(colon + 1, colon + 1 + VALUE_MAX_CHARS)
      .replace('!important', '')
      .trim();
    found.set(property, value);
    if (property === 'font') found.set('font-size', fontSizeOf(value));
    if (property === 'background') found.set('background-color', backgroundColorOf(value));
  }
  return found;
}

/** A number without a unit is a weight, unless it is zero. */
const FONT_SIZE = /(?:^|\s)(0|[\d.]+(?:[a-z]+|%))(?=[\s/])/;

/** Of `bold 14px/20px Arial`. Sizes by name, and system fonts, are readable. */
const fontSizeOf = (font: string): string =>
  font === 'inherit' ? font : (FONT_SIZE.exec(font)?.[1] ?? 'medium');

const BACKGROUND_PARTS = /[a-z]{0,20}\([^()]*\)|[^\s()]+/g;

/** Of `#fff none repeat`; all of it when no part is a color. */
const backgroundColorOf = (background: string): string =>
  background
    .match(BACKGROUND_PARTS)
    ?.find((part) => /^[#a-z]/.test(part) && colorOf(part) !== undefined) ?? background;

/** The style elements of an email. */
export function createStyleSheet() {
  const rules = new Map<string, Map<string, string>>();
  let [charsLeft, rulesLeft] = [SHEETS_MAX_CHARS, RULES_MAX];

  return {
    add: (css: string) => {
      for (const { selector, declarations } of rulesOf(css.slice(0, charsLeft))) {
        if (--rulesLeft < 0) break; // also counts a selector that repeats
        const known = rules.get(selector);
        if (known) for (const [property, value] of declarations) known.set(property, value);
        else rules.set(selector, new Map(declarations));
      }
      charsLeft = Math.max(0, charsLeft - css.length);
    },

    /** What the rules say about an element, the more specific ones last. */
    of: (name: string, attributes: Readonly<Record<string, string>>): Declarations => {
      if (rules.size === 0) return NO_DECLARATIONS;
      const classes = classesOf(attributes.class ?? '');
      const id = attributes.id?.toLowerCase();
      const selectors = [name, ...classes, ...(id ? [`#${id}`, `${name}#${id}`] : [])];
      for (const one of classes) selectors.splice(1 + classes.length, 0, `${name}${one}`);
      return new Map(selectors.flatMap((selector) => [...(rules.get(selector) ?? [])]));
    },
  };
}

const classesOf = (names: string): string[] =>
  names
    .slice(0, 1024)
    .toLowerCase()
    .split(/\s/)
    .filter((name) => name !== '')
    .slice(0, CLASSES_MAX)
    .map((name) => `.${name}`);

type Rule = { selector: string; declarations: Declarations };

function* rulesOf(css: string): Generator<Rule> {
  const text = withoutComments(css.toLowerCase()).replaceAll(/<!--|-->/g, '');
  for (let at = 0; at < text.length;) {
    const brace = text.indexOf('{', at);
    if (brace === -1) return;
    const prelude = text.slice(at, brace).trim();
    if (prelude.includes('@')) {
      at = endOfBlock(text, brace);
      continue;
    }
    const end = text.indexOf('}', brace);
    const declarations = declarationsOf(text.slice(brace + 1, end === -1 ? undefined : end));
    for (const selector of prelude.split(',').map((one) => one.trim()))
      if (selector !== '' && SIMPLE_SELECTOR.test(selector)) yield { selector, declarations };
    at = end === -1 ? text.length : end + 1;
  }
}

/** After the brace that closes the one at `from`. */
function endOfBlock(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return at + 1;
  }
  return text.length;
}

function withoutComments(css: string): string {
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

export type Color = readonly [red: number, green: number, blue: number, alpha: number];

const NAMED: Readonly<Record<string, Color>> = {
  transparent: [0, 0, 0, 0],
  white: [255, 255, 255, 1],
  snow: [255, 250, 250, 1],
  ivory: [255, 255, 240, 1],
  whitesmoke: [245, 245, 245, 1],
  silver: [192, 192, 192, 1],
  gray: [128, 128, 128, 1],
  grey: [128, 128, 128, 1],
  black: [0, 0, 0, 1],
  red: [255, 0, 0, 1],
  maroon: [128, 0, 0, 1],
  yellow: [255, 255, 0, 1],
  olive: [128, 128, 0, 1],
  lime: [0, 255, 0, 1],
  green: [0, 128, 0, 1],
  aqua: [0, 255, 255, 1],
  teal: [0, 128, 128, 1],
  blue: [0, 0, 255, 1],
  navy: [0, 0, 128, 1],
  fuchsia: [255, 0, 255, 1],
  purple: [128, 0, 128, 1],
};

/** Undefined for what is not understood, such as `var(--text)` or hsl(). */
export function colorOf(text: string): Color | undefined {
  const value = text.trim().toLowerCase();
  if (value.length > 64) return undefined;
  const hex = /^#?([0-9a-f]{3,8})$/.exec(value)?.[1];
  if (hex !== undefined && !Object.hasOwn(NAMED, value)) return hexColor(hex);
  const parts = /^rgba?\(([^()]*)\)$/
    .exec(value)?.[1]
    ?.split(/[\s,/]+/)
    .filter(Boolean);
  if (parts !== undefined) return functionColor(parts);
  return Object.hasOwn(NAMED, value) ? NAMED[value] : undefined;
}

function hexColor(hex: string): Color | undefined {
  const digits = hex.length <= 4 ? hex.replaceAll(/./g, '$&$&') : hex;
  if (digits.length !== 6 && digits.length !== 8) return undefined;
  const [red = 0, green = 0, blue = 0, alpha = 255] = Buffer.from(digits, 'hex');
  return [red, green, blue, alpha / 255];
}

const channel = (part = ''): number =>
  part.endsWith('%') ? (Number.parseFloat(part) / 100) * 255 : Number.parseFloat(part);

function functionColor(parts: readonly string[]): Color | undefined {
  const [red, green, blue] = [channel(parts[0]), channel(parts[1]), channel(parts[2])];
  const alpha = parts[3] === undefined ? 1 : channel(parts[3]) / (parts[3].endsWith('%') ? 255 : 1);
  return [red, green, blue, alpha].some(Number.isNaN) ? undefined : [red, green, blue, alpha];
}
