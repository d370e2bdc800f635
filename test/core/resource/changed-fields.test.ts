/** What a change changes (D29). */
import { describe, expect, test } from 'vitest';

import {
  changedFields,
  fieldsBetween,
  isEqual,
} from '../../../services/core/resource/changed-fields.ts';

describe('values are equal as data', () => {
  test.each([
    [1, 1, true],
    [1, '1', false],
    [null, undefined, false],
    [null, {}, false],
    [{}, [], false],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: 1, b: undefined }, { a: 1 }, true],
    [{ a: undefined, b: 1 }, { a: 1, b: undefined }, false],
    [[1, 2], [2, 1], false],
    [[1], { 0: 1 }, false],
    [{ a: [{ b: 1 }] }, { a: [{ b: 1 }] }, true],
    [{ a: [{ b: 1 }] }, { a: [{ b: 2 }] }, false],
    [new Date(5), new Date(5), true],
    [new Date(5), new Date(6), false],
    [new Date(5), {}, false],
  ])('%j and %j: %s', (one, other, expected) => {
    expect(isEqual(one, other)).toBe(expected);
    expect(isEqual(other, one)).toBe(expected);
  });
});

test('a change without a difference is empty', () => {
  const record = { name: 'a', url: 'https://a.example', labels: { team: 'x' } };
  expect(changedFields(record, {})).toEqual({});
  expect(changedFields(record, { name: 'a', labels: { team: 'x' }, url: undefined })).toEqual({});
  expect(changedFields(record, { name: 'b', labels: { team: 'x' } })).toEqual({ name: 'b' });
});

test('only the named fields of two states are compared', () => {
  const before = { name: 'a', size: 1, updated_at: 1 };
  expect(fieldsBetween(before, { name: 'a', size: 2, updated_at: 2 }, ['name', 'size'])).toEqual({
    size: 2,
  });
});
