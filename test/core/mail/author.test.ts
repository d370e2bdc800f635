/** The one author of an email, where readers of From could see different ones. */
import { expect, test } from 'vitest';

import { authorOf } from '../../../services/core/mail/author.ts';

/** @param from as the parser of the payload reads the field */
const addressOf = (value: string, from: string) =>
  authorOf({ from, all: [{ name: 'From', value }] }).address;

test.each([
  ['ann@a.example', 'ann@a.example'],
  ['Ann <ann@a.example>', '"Ann" <ann@a.example>'],
  ['eve@b.example <ann@a.example>', '"eve@b.example" <ann@a.example>'],
  ['ann@a.example (Ann)', '"Ann" <ann@a.example>'],
])('%s has one', (value, from) => {
  expect(addressOf(value, from)).toBe('ann@a.example');
});

test.each([
  ['ann@a.example eve@b.example', '"eve@b.example" <ann@a.example>'],
  ['ann@a.example\teve@b.example', '"eve@b.example" <ann@a.example>'],
  ['Ann <ann@a.example> <eve@b.example>', '"Ann eve@b.example" <ann@a.example>'],
  ['<ann@a.example> eve@b.example', '"eve@b.example" <ann@a.example>'],
  ['ann@a.example, eve@b.example', 'ann@a.example, eve@b.example'],
])('%s has none, although a parser finds one', (value, from) => {
  expect(addressOf(value, from)).toBe('');
});
