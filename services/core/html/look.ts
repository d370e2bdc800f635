/**
 * How an element of an email looks, as far as that decides whether a person sees its text: size,
 * colors, place. What is not understood counts as visible.
 */
import { type Color, colorOf, type Declarations, declarationsOf } from './css.ts';

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
  /** Letters of at most one pixel, which a child can change. */
  isTiny: boolean;
  /** Undefined when unknown. */
  color: Color | undefined;
  background: Color | undefined;
};

export const PAGE_LOOK: Look = {
  removedBy: undefined,
  isInvisible: false,
  isTiny: false,
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
const ROOT_FONT_PX = 16;

type Attributes = Readonly<Record<string, string>>;

/** @param rules what the style elements say about the element; its `style` attribute overrides them */
export function lookOf(
  parent: Look,
  name: string,
  attributes: Attributes,
  rules: Declarations,
): Look {
  const own = declarationsOf(attributes.style ?? '');
  const css = (property: string): string | undefined => own.get(property) ?? rules.get(property);
  const visibility = css('visibility');
  return {
    removedBy: parent.removedBy ?? removedBy(attributes, css),
    isInvisible:
      visibility === undefined || visibility === 'inherit'
        ? parent.isInvisible
        : visibility !== 'visible',
    isTiny: isTiny(css('font-size'), parent.isTiny),
    color: textColor(name, attributes, css('color'), parent.color),
    background: backgroundColor(attributes, css, parent.background),
  };
}

/** Why a person does not see text of this look; undefined when they do. */
export function hiddenBy(look: Look): HiddenReason | undefined {
  const { removedBy: reason, color, background } = look;
  if (reason !== undefined) return reason;
  if (look.isInvisible) return 'not_displayed';
  if (look.isTiny) return 'zero_size';
  if (color === undefined) return undefined;
  if (color[3] <= TRANSPARENT) return 'transparent';
  return background && areSame(color, background) ? 'same_color' : undefined;
}

const areSame = (a: Color, b: Color): boolean =>
  [0, 1, 2].every((at) => Math.abs((a[at] as number) - (b[at] as number)) <= SAME_COLOR);

type Css = (property: string) => string | undefined;

function removedBy(attributes: Attributes, css: Css): HiddenReason | undefined {
  if (css('display') === 'none' || attributes.hidden !== undefined) return 'not_displayed';
  if (Number.parseFloat(css('opacity') ?? '1') <= TRANSPARENT) return 'transparent';
  if (isOffScreen(css)) return 'off_screen';
  return isEmptyBox(css) ? 'zero_size' : undefined;
}

function isOffScreen(css: Css): boolean {
  const isBeyond = (property: string) => (pixels(css(property)) ?? 0) <= OFF_SCREEN_PX;
  if (['text-indent', 'margin-left', 'margin-top'].some(isBeyond)) return true;
  const position = css('position');
  return (
    position !== undefined &&
    position !== 'static' &&
    ['left', 'right', 'top', 'bottom'].some(isBeyond)
  );
}

function isEmptyBox(css: Css): boolean {
  if (/^(inset\((50|100)%|circle\(0)/.test(css('clip-path') ?? '')) return true;
  if (css('transform')?.startsWith('scale(0)')) return true;
  const overflow = css('overflow') ?? css('overflow-y') ?? '';
  if (!/hidden|clip/.test(overflow)) return false;
  return ['height', 'max-height', 'width', 'max-width'].some(
    (property) => (pixels(css(property)) ?? Infinity) <= ZERO_PX,
  );
}

/** Undefined for relative lengths other than zero, and for what is none. */
function pixels(length: string | undefined): number | undefined {
  const [, number = '', unit = ''] =
    /^(-?[\d.]+)(px|pt|em|rem|in|cm|vw|%)?/.exec(length ?? '') ?? [];
  const value = Number.parseFloat(number);
  if (Number.isNaN(value)) return undefined;
  if (value === 0 || unit === 'px' || unit === '') return value;
  if (unit === 'pt') return (value * 4) / 3;
  if (unit === '%') return undefined;
  return unit === 'vw' ? value * 10 : value * (unit === 'in' || unit === 'cm' ? 38 : ROOT_FONT_PX);
}

/** @param wasTiny of the parent, to which relative sizes refer */
function isTiny(size: string | undefined, wasTiny: boolean): boolean {
  if (size === undefined || size === 'inherit') return wasTiny;
  const [, number = '', unit = ''] = /^([\d.]+)(em|%)?/.exec(size) ?? [];
  const value = Number.parseFloat(number);
  if (unit !== '' && value > 0) return wasTiny;
  return (pixels(size) ?? ROOT_FONT_PX) <= TINY_PX;
}

/** A link has a color of its own, which is not known. */
function textColor(
  name: string,
  attributes: Attributes,
  css: string | undefined,
  inherited: Color | undefined,
): Color | undefined {
  if (css === 'inherit') return inherited;
  const asked = css ?? (name === 'font' ? attributes.color : undefined) ?? attributes.text;
  if (asked !== undefined) return colorOf(asked);
  return name === 'a' ? undefined : inherited;
}

function backgroundColor(
  attributes: Attributes,
  css: Css,
  behind: Color | undefined,
): Color | undefined {
  const image = css('background-image') ?? css('background') ?? attributes.background ?? '';
  if (/url\(|gradient\(/.test(image) || attributes.background) return undefined;
  const asked = css('background-color') ?? attributes.bgcolor;
  if (asked === undefined || asked === '' || asked === 'none' || asked === 'inherit') return behind;
  const color = colorOf(asked);
  if (color === undefined || color[3] === 1) return color;
  return color[3] === 0 ? behind : undefined;
}
