/** The line of the search box: what it asks for, and what it says about a text that cannot be searched. */
import { expect, test } from 'vitest';

import { VERDICTS } from '../../services/core/delivery/search-terms.ts';
import {
  readSearch,
  type ReadSearch,
  withBeginnings,
  writeSearch,
} from '../../services/dashboard/screens/search/search-syntax.ts';

const EVENT = 'evt_01jd2x5y7z9a8b6c4d2e0f1g3h';

test.each<[string, ReadSearch]>([
  ['march invoice', { search: { subject: 'march invoice' } }],
  [
    'from:ann to:orders invoice',
    { search: { sender: 'ann', recipient: 'orders', subject: 'invoice' } },
  ],
  ['from:"Ann Smith"', { search: { sender: 'Ann Smith' } }],
  ['ann@example.com', { search: { sender: 'ann@example.com' } }],
  ['status:failed order', { search: { subject: 'order' }, status: 'failed' }],
  ['is:failed', { search: {}, status: 'failed' }],
  ['IS:Waiting', { search: {}, status: 'waiting' }],
  ['is:spam is:spf=fail', { search: { verdict: 'spam,spf=fail' } }],
  ['verdict:spam,spf=fail', { search: { verdict: 'spam,spf=fail' } }],
  ['has:attachment', { search: { has: 'attachment' } }],
  ['inv*', { search: { subject: 'inv*' } }],
  ['text:refund', { search: { text: 'refund' } }],
  ['text:"broken lamp" text:refund', { search: { text: 'broken lamp refund' } }],
  ['at 10:30 https://x.example/a', { search: { subject: 'at 10:30 https://x.example/a' } }],
  [`delivery.attempted event=${EVENT} status=500`, { search: {}, opens: `/mail/${EVENT}` }],
  [
    ' addr_01jd2x5y7z9a8b6c4d2e0f1g3h ',
    { search: {}, opens: '/addresses/addr_01jd2x5y7z9a8b6c4d2e0f1g3h' },
  ],
  ['', { search: {} }],
])('%s', (text, read) => {
  expect(readSearch(text)).toEqual(read);
});

test.each<[string, ReadSearch['problem']]>([
  ['kind:letter', { kind: 'unknown_field', field: 'kind' }],
  ['status:nonsense', { kind: 'unknown_value', field: 'status', value: 'nonsense' }],
  ['is:nonsense', { kind: 'unknown_value', field: 'is', value: 'nonsense' }],
  ['has:wings', { kind: 'unknown_value', field: 'has', value: 'wings' }],
  ['verdict:dkim=maybe', { kind: 'unknown_value', field: 'verdict', value: 'dkim=maybe' }],
  ['thread:x', { kind: 'unknown_value', field: 'thread', value: 'x' }],
  ['?!', { kind: 'no_words' }],
  ['a', { kind: 'no_words' }],
  ['text:?', { kind: 'no_words' }],
])('%s is not searched', (text, problem) => {
  expect(readSearch(text)).toEqual({ search: {}, problem });
});

test('the results that can be named are those of the API', () => {
  for (const verdict of VERDICTS)
    expect(readSearch(`verdict:${verdict}`).search).toEqual({ verdict });
});

test.each([
  'kind:letter a',
  'march invoice',
  'ann@example.com',
  'status:failed',
  'a "quoted" word',
])('the line of a search for the words %s is read as the same search', (subject) => {
  const search = { subject: subject.replaceAll('"', '') };
  expect(readSearch(writeSearch(search)).search).toEqual(search);
});

test('the line of a search for words of the text is read as the same search', () => {
  const search = { text: 'broken lamp', subject: 'order' };
  expect(readSearch(writeSearch(search)).search).toEqual(search);
});

test.each([
  [{ subject: 'invo of march' }, { subject: 'invo* of march*' }],
  [
    { sender: 'ann', verdict: 'spam' },
    { sender: 'ann*', verdict: 'spam' },
  ],
  [{ text: 'refun' }, { text: 'refun*' }],
  [{ sender: 'ann@example.com' }, undefined],
  [{ subject: 'ab' }, undefined],
  [{ subject: 'invo*' }, undefined],
  [{}, undefined],
])('beginnings of %j', (search, wider) => {
  expect(withBeginnings(search)).toEqual(wider);
});
