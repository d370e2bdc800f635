/** The times of the stages in README.md and .github/CONTRIBUTING.md. */
import { expect, test } from 'vitest';

import { withTimes } from '../run/times.ts';

test('the times of a run replace those of the page; a stage without a time keeps its own', () => {
  const page = [
    '| `npm test` | <!-- time test -->9 minutes<!-- --> |',
    '| browser | <!-- time browser -->4 minutes<!-- --> |',
    '| check | <!-- time check --><!-- --> |',
    '| .ci/run | <!-- time all -->–<!-- --> |',
  ].join('\n');
  expect(withTimes(page, { test: 245, check: 12 })).toBe(
    page
      .replace('9 minutes', '5 minutes')
      .replace('check -->', 'check -->20 seconds')
      .replace('–', '5 minutes'),
  );
});
