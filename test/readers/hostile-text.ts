/**
 * Texts that a reader could take long for: one or two tokens of its grammar, often repeated. `#` in
 * a token is a number that grows, so that no two repetitions are the same.
 */
import { fc } from '../support/random.ts';

/** `{ text, times }`: a token, and how often it is repeated. */
type Run = { token: string; times: number };

/** A beginning, a piece that is repeated until the text is long enough, and an end. */
export type Shape = { before: string; piece: readonly Run[]; after: string };

const TIMES = [1, 1, 1, 1, 20, 900];

export const shapeOf = (tokens: readonly string[]): fc.Arbitrary<Shape> => {
  const token = fc.constantFrom(...tokens);
  return fc.record({
    before: fc.oneof(fc.constant(''), token),
    piece: fc.array(fc.record({ token, times: fc.constantFrom(...TIMES) }), {
      minLength: 1,
      maxLength: 4,
    }),
    after: fc.oneof(fc.constant(''), token),
  });
};

/** The text of a shape with about so many characters. */
export function textOf({ before, piece, after }: Shape, chars: number): string {
  const pieces = [before];
  let length = before.length;
  for (let count = 0; length < chars; count++) {
    const next = piece
      .map(({ token, times }) => token.replaceAll('#', count.toString(36)).repeat(times))
      .join('');
    pieces.push(next);
    length += next.length;
  }
  return `${pieces.join('').slice(0, chars)}${after}`;
}
