/** Characters that no program shows, and text that is written in them. */

/** Joiners, spaces without width, marks of direction, soft hyphens, fillers of preheaders. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** Tag characters (Unicode 23.9) and variation selectors, some of which can write any text. */
const SMUGGLED = /(?:[\u{e0000}-\u{e007f}]|\p{Variation_Selector})+/gu;
/** A flag such as that of Scotland is a black flag with tag characters. */
const BLACK_FLAG = '\u{1f3f4}';
const FLAG_MAX_CHARS = 8;
/** Few in a row choose the shape of the character before them. */
const SELECTORS_MIN = 4;

/** Text as it is shown. */
export const withoutInvisible = (text: string): string => text.replaceAll(INVISIBLE, '');

/** What tag characters and runs of variation selectors say; empty when there are none. */
export function smuggledText(text: string): string {
  let found = '';
  for (const { 0: run, index } of text.matchAll(SMUGGLED)) {
    const signs = Array.from(run);
    const isFlag = text.startsWith(BLACK_FLAG, index - 2) && signs.length <= FLAG_MAX_CHARS;
    const hasTags = signs.some((sign) => isTag(codeOf(sign)));
    if (!isFlag && (hasTags || signs.length >= SELECTORS_MIN))
      found += signs.map((sign) => letterOf(codeOf(sign))).join('');
  }
  return found;
}

const codeOf = (sign: string): number => sign.codePointAt(0) ?? 0;
const isTag = (code: number): boolean => code >= 0xe0000 && code <= 0xe007f;

/** A tag character repeats ASCII. A variation selector stands for a byte. */
function letterOf(code: number): string {
  const byte = isTag(code) ? code - 0xe0000 : code >= 0xe0100 ? code - 0xe0100 + 16 : code - 0xfe00;
  return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '';
}
