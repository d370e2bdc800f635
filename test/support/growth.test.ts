/** Linear and quadratic work are told apart. */
import { expect, test } from 'vitest';

import { growth, LINEAR } from './growth.ts';

const repeat = (steps: number) => {
  let number = 1;
  for (let step = 0; step < steps; step++) number = (Math.imul(number, 1_664_525) + 1) | 0;
  return number;
};

test('linear work is below the bound, quadratic work above', () => {
  expect(growth(20_000_000, repeat)).toBeLessThan(LINEAR);
  expect(growth(6_000, (size) => repeat(size * size))).toBeGreaterThan(LINEAR);
});
