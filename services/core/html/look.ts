/**
 * How an element of an email looks, as far as that decides whether a person sees its text: size,
 * colors, place. What is not understood counts as visible.
 */
import { type Color, colorOf } from './color.ts';
import { type Declarations, declarationsOf } from './css.ts';

/** Part of the contract: `reasons` of hidden text. */
export const HIDDEN_REASONS = [
  'not_displayed',
  'zero_size',
  'same_color',
  'transparent',
  'off_screen',
  'invisible_characters',
] as const;
export type HiddenReason = (typeof HIDDEN_REASONS)[number];

export type Look = {
  /** No child can become visible again. */
  removedBy: HiddenReason | undefined;
  /** `visibility: hidden`, which a child can change. */
  isInvisible: boolean;
  /** Size of its letters, which a child can change. */
  fontPx: number;
  /** Undefined when unknown. */
  color: Color | undefined;
  background: Color | undefined;
};

export const PAGE_LOOK: Look = {
  removedBy: undefined,
  isInvisible: false,
  fontPx: 16,
  color: [0, 0, 0, 1],
  background: [255, 255, 255, 1],
};

/** Values up to these hide an element. */
const TINY_PX = 1;
const ZERO_PX = 1;
const TRANSPARENT = 0.05;
const OFF_SCREEN_PX = -500;
/** Largest difference of a channel between colors that nobody can tell apart. */
const SAME_COLOR = 8;
/** To the right or below, where a person may scroll to less. */
const FAR_AWAY_PX = 2_000;
/** A larger box shows something of its letters. */
const SCALE = 0.05;
const ROOT_FONT_PX = 16;
const VALUE_MAX_CHARS = 1_024;

type Attributes = Readonly<Record<string, string>>;

/** @param rules what the style elements say about the element; its `style` attribute overrides them */
export function lookOf(
  parent: Look,
  name: string,
  attributes: Attributes,
  rules: Declarations,
): Look {
  const own = declarationsOf(attributes.style ?? '');
  const css = (property: string): string | undefined => {
    const [ofStyle, ofRules] = [own.get(property), rules.get(property)];
    const isOverridden = ofRules?.isImportant && !ofStyle?.isImportant;
    return (isOverridden ? ofRules : (ofStyle ?? ofRules))?.value;
  };
  const fontPx = fontSize(css('font-size'), parent.fontPx);
  const visibility = css('visibility');
  return {
    removedBy: parent.removedBy ?? removedBy(attributes, css, fontPx),
    isInvisible:
      visibility === undefined || visibility === 'inherit'
        ? parent.isInvisible
        : visibility !== 'visible',
    fontPx,
    color: textColor(
      name,
      attributes,
      css('-webkit-text-fill-color') ?? css('color'),
      parent.color,
    ),
    background: backgroundColor(attributes, css, parent.background),
  };
}

/** Why a person does not see text of this look; undefined when they do. */
export function hiddenBy(look: Look): HiddenReason | undefined {
  const { removedBy: reason, color, background } = look;
  if (reason !== undefined) return reason;
  if (look.isInvisible) return 'not_displayed';
  if (look.fontPx <= TINY_PX) return 'zero_size';
  if (color === undefined) return undefined;
  if (color[3] <= TRANSPARENT) return 'transparent';
  return background && areSame(color, background) ? 'same_color' : undefined;
}

const areSame = (a: Color, b: Color): boolean =>
  [0, 1, 2].every((at) => Math.abs((a[at] as number) - (b[at] as number)) <= SAME_COLOR);

type Css = (property: string) => string | undefined;

function removedBy(attributes: Attributes, css: Css, fontPx: number): HiddenReason | undefined {
  const isDisplayed = css('display') !== 'none' && css('content-visibility') !== 'hidden';
  if (!isDisplayed || attributes.hidden !== undefined) return 'not_displayed';
  const filter = /(?:^|\s)opacity\(([^()]*)\)/.exec(css('filter') ?? '')?.[1];
  if ([css('opacity'), filter].some((value) => shareOf(value ?? '1') <= TRANSPARENT))
    return 'transparent';
  const transform = transformOf(css('transform') ?? '', fontPx);
  if (transform === 'off_screen' || isOffScreen(css, fontPx)) return 'off_screen';
  return transform === 'zero_size' || isEmptyBox(css, fontPx) ? 'zero_size' : undefined;
}

/** `0.5` or `50%`. */
const shareOf = (value: string): number =>
  Number.parseFloat(value) / (value.trim().endsWith('%') ? 100 : 1);

function isOffScreen(css: Css, fontPx: number): boolean {
  const isBeyond = (property: string) => isFar(pixels(css(property), fontPx) ?? 0);
  if (['text-indent', 'margin-left', 'margin-top'].some(isBeyond)) return true;
  const position = css('position');
  return (
    position !== undefined &&
    position !== 'static' &&
    ['left', 'right', 'top', 'bottom'].some(isBeyond)
  );
}

const isFar = (px: number): boolean => px <= OFF_SCREEN_PX || px >= FAR_AWAY_PX;

const TRANSFORM = /([a-z]{1,12})(?:3d)?\(([^()]*)\)/g;

/** What a transform does to a box: makes it a point or a line, or moves it away. */
function transformOf(value: string, fontPx: number): 'zero_size' | 'off_screen' | undefined {
  for (const [, name = '', list = ''] of value.slice(0, VALUE_MAX_CHARS).matchAll(TRANSFORM)) {
    const parts = list.split(/[\s,]+/).filter(Boolean);
    const numbers = parts.map((part) => Math.abs(shareOf(part)));
    const scales =
      name === 'matrix'
        ? [(numbers[0] ?? 1) + (numbers[1] ?? 0), (numbers[3] ?? 1) + (numbers[2] ?? 0)]
        : name.startsWith('scale')
          ? numbers.slice(0, 2)
          : [1];
    if (scales.some((scale) => scale <= SCALE)) return 'zero_size';
    const degrees =
      name === 'rotatex' || name === 'rotatey' ? Number.parseFloat(parts[0] ?? '') : 0;
    if (parts[0]?.endsWith('deg') && Math.abs(degrees % 180) === 90) return 'zero_size';
    const moves = name === 'matrix' ? parts.slice(4) : name.startsWith('translate') ? parts : [];
    if (moves.some((part) => isFar(pixels(part, fontPx) ?? 0))) return 'off_screen';
  }
  return undefined;
}

function isEmptyBox(css: Css, fontPx: number): boolean {
  if (isClipped(css('clip-path') ?? '') || isNoRectangle(css('clip') ?? '', fontPx)) return true;
  const overflow = css('overflow') ?? css('overflow-y') ?? '';
  if (!/hidden|clip/.test(overflow)) return false;
  return ['height', 'max-height', 'width', 'max-width'].some(
    (property) => (pixels(css(property), fontPx) ?? Infinity) <= ZERO_PX,
  );
}

/** `inset(50%)`, `circle(0)`, `polygon(0 0, 0 0)`. */
function isClipped(value: string): boolean {
  const [, name = '', list = ''] = /^([a-z]+)\(([^()]*)\)/.exec(value) ?? [];
  const parts = list.split(/[\s,]+/).filter(Boolean);
  if (name === 'polygon') return parts.length > 0 && parts.every((part) => shareOf(part) === 0);
  if (name === 'circle' || name === 'ellipse') return shareOf(parts[0] ?? '1') === 0;
  if (name !== 'inset') return false;
  const sides = parts
    .slice(0, parts.includes('round') ? parts.indexOf('round') : 4)
    .map((part) => (part.endsWith('%') ? shareOf(part) : 0));
  const [top = 0, right = top, bottom = top, left = right] = sides;
  return top + bottom >= 1 || left + right >= 1;
}

const isEmpty = (from: number | undefined, to: number | undefined) =>
  from !== undefined && to !== undefined && to - from <= ZERO_PX;

/** `rect(0, 0, 0, 0)`: top, right, bottom and left (CSS 2.2 §11.1.2). */
function isNoRectangle(value: string, fontPx: number): boolean {
  const list = /^rect\(([^()]*)\)/.exec(value)?.[1];
  const sides = list
    ?.split(/[\s,]+/)
    .filter(Boolean)
    .map((side) => pixels(side, fontPx));
  const [top, right, bottom, left] = sides ?? [];
  return isEmpty(top, bottom) || isEmpty(left, right);
}

/** Undefined for shares of the parent other than zero, and for a value that is not a length. */
function pixels(length: string | undefined, fontPx: number): number | undefined {
  const [, number = '', unit = ''] =
    /^([+-]?[\d.]+(?:e[+-]?\d+)?)([a-z]+|%)?/.exec(length ?? '') ?? [];
  const value = Number.parseFloat(number);
  if (Number.isNaN(value)) return undefined;
  if (value === 0 || unit === '') return value;
  const size = UNITS[unit];
  return size === undefined ? undefined : value * (size === 'font' ? fontPx : size);
}

/** In pixels; `vw` and `vh` of a small window. */
const UNITS: Readonly<Record<string, number | 'font'>> = {
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  q: 96 / 101.6,
  em: 'font',
  ex: 'font',
  ch: 'font',
  rem: ROOT_FONT_PX,
  vw: 10,
  vh: 10,
  vmin: 10,
  vmax: 10,
};

/** @param parentPx to which relative sizes refer */
function fontSize(size: string | undefined, parentPx: number): number {
  if (size === undefined || size === 'inherit') return parentPx;
  if (size.endsWith('%')) {
    const share = Number.parseFloat(size) / 100;
    return Number.isNaN(share) ? ROOT_FONT_PX : share * parentPx;
  }
  return pixels(size, parentPx) ?? ROOT_FONT_PX;
}

/** A link has a color of its own, which is not known. */
function textColor(
  name: string,
  attributes: Attributes,
  css: string | undefined,
  inherited: Color | undefined,
): Color | undefined {
  if (css === 'inherit') return inherited;
  const requested = css ?? (name === 'font' ? attributes.color : undefined) ?? attributes.text;
  if (requested !== undefined) return colorOf(requested);
  return name === 'a' ? undefined : inherited;
}

function backgroundColor(
  attributes: Attributes,
  css: Css,
  behind: Color | undefined,
): Color | undefined {
  const image = css('background-image') ?? css('background') ?? attributes.background ?? '';
  if (/url\(|gradient\(/.test(image) || attributes.background) return undefined;
  const requested = css('background-color') ?? attributes.bgcolor;
  if (
    requested === undefined ||
    requested === '' ||
    requested === 'none' ||
    requested === 'inherit'
  )
    return behind;
  const color = colorOf(requested);
  if (color === undefined || color[3] === 1) return color;
  return color[3] === 0 ? behind : undefined;
}
