/** The filter of a receiver: what it lets pass, and that an error loses no email. */
import { expect, test } from 'vitest';

import { createFilter } from '../../../services/core/expression/filter.ts';
import { EXAMPLE_PAYLOAD } from '../../../services/core/webhook/example.ts';

test.each([
  ['no filter', null, { passes: true }],
  ['of an older record', undefined, { passes: true }],
  ['true', 'from.domain == "sender.example"', { passes: true }],
  ['false', 'is_bounce', { passes: false }],
  [
    'an error at run time',
    'headers["x-none"] == ""',
    { passes: true, error: 'No such key: x-none (at character 0)' },
  ],
  [
    'one that another version accepted',
    'attachments.matches("a")',
    { passes: true, error: expect.stringMatching(/\(at character \d+\)$/) as string },
  ],
])('%s', (_, when, expected) => {
  expect(createFilter(EXAMPLE_PAYLOAD)(when)).toEqual(expected);
});

test('the text of an error has a bound', () => {
  const { error } = createFilter(EXAMPLE_PAYLOAD)(`headers["${'x'.repeat(1_000)}"] == ""`);
  expect(error?.length).toBeLessThan(250);
});
