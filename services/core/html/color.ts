/** Colors of CSS, as far as emails hide text with them. */
export type Color = readonly [red: number, green: number, blue: number, alpha: number];

const NAMED: Readonly<Record<string, Color>> = {
  transparent: [0, 0, 0, 0],
  white: [255, 255, 255, 1],
  snow: [255, 250, 250, 1],
  ivory: [255, 255, 240, 1],
  ghostwhite: [248, 248, 255, 1],
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

/** Undefined for what is not understood, such as `var(--text)` or lab(). */
export function colorOf(text: string): Color | undefined {
  const value = text.trim().toLowerCase();
  if (value.length > 64) return undefined;
  const hex = /^#?([0-9a-f]{3,8})$/.exec(value)?.[1];
  if (hex !== undefined && !Object.hasOwn(NAMED, value)) return hexColor(hex);
  const [, name = '', list = ''] = /^(rgb|hsl)a?\(([^()]*)\)$/.exec(value) ?? [];
  const parts = list.split(/[\s,/]+/).filter(Boolean);
  if (name !== '') return name === 'rgb' ? functionColor(parts) : hslColor(parts);
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

const alphaOf = (part: string | undefined): number =>
  part === undefined ? 1 : channel(part) / (part.endsWith('%') ? 255 : 1);

/** In degrees. */
const ANGLES = [
  ['grad', 0.9],
  ['rad', 180 / Math.PI],
  ['turn', 360],
] as const;

/** The color with this hue, saturation and lightness (CSS Color 4 §7.1). */
function hslColor(parts: readonly string[]): Color | undefined {
  const [hue, saturation, lightness] = parts.map((part) => Number.parseFloat(part));
  if (hue === undefined || saturation === undefined || lightness === undefined) return undefined;
  const [, degrees = 1] = ANGLES.find(([unit]) => parts[0]?.endsWith(unit)) ?? [];
  const [s, l] = [saturation / 100, lightness / 100];
  const part = (shift: number): number => {
    const k = (((shift + (hue * degrees) / 30) % 12) + 12) % 12;
    return 255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1)));
  };
  const color: Color = [part(0), part(8), part(4), alphaOf(parts[3])];
  return color.some(Number.isNaN) ? undefined : color;
}

function functionColor(parts: readonly string[]): Color | undefined {
  const [red, green, blue] = [channel(parts[0]), channel(parts[1]), channel(parts[2])];
  const alpha = alphaOf(parts[3]);
  return [red, green, blue, alpha].some(Number.isNaN) ? undefined : [red, green, blue, alpha];
}
