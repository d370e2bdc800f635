/** The text of HTML that a person sees, with a line for each block and a space between cells. */
import type { HtmlReader } from './html-reader.ts';

export const BLOCKS = new Set(
  (
    'address article aside blockquote body br center dd details div dl dt fieldset figcaption figure ' +
    'footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tr ul'
  ).split(' '),
);
export const CELLS = new Set(['td', 'th']);

export function createVisibleText(): HtmlReader & { found(): string } {
  const pieces: string[] = [];
  const separate = (name: string) => {
    if (BLOCKS.has(name)) pieces.push('\n');
    else if (CELLS.has(name)) pieces.push(' ');
  };
  return {
    open: ({ name }) => separate(name),
    text: (text, hiddenBy) => {
      if (hiddenBy === undefined) pieces.push(text.replaceAll(/\s+/g, ' '));
    },
    close: ({ name }) => separate(name),
    found: () => pieces.join(''),
  };
}
