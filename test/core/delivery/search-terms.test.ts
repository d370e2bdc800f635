/** The terms by which deliveries are found: one spelling, bounded, and the same on both sides. */
import { describe, expect, test } from 'vitest';

import {
  beginningIn,
  searchedTerms,
  searchKeys,
  type DeliverySearch,
  type Searchable,
  VERDICTS,
} from '../../../services/core/delivery/search-terms.ts';
import { wordsOf } from '../../../services/core/mail/words.ts';
import { fc } from '../../support/random.ts';

const RECEIVED = new Date('2026-03-01T12:00:00Z');

const record = (fields: Partial<Searchable>): Searchable => ({
  mail_from: 'bounce@mail.sender.example',
  from: 'Ann Smith <ann.s@sender.example>',
  subject: 'Your invoice INV-2026/001',
  recipients: ['orders+ann@in.example'],
  verdict: { spf: 'fail', dkim: 'none', dmarc: 'pass', spam: 'not_spam' },
  ...fields,
});
const termsOf = (fields: Partial<Searchable> = {}) => searchKeys(record(fields), RECEIVED).terms;
const finds = (search: DeliverySearch, fields: Partial<Searchable> = {}): boolean => {
  const terms = new Set(termsOf(fields));
  return (searchedTerms(search) ?? []).every((term) => {
    const beginning = beginningIn(term);
    return beginning === undefined
      ? terms.has(term)
      : [...terms].some((one) => one.startsWith(beginning));
  });
};

test('a record has few terms: addresses, domains, words of names and subject, and problems', () => {
  expect(searchKeys(record({}), RECEIVED)).toEqual({
    day: 20_513,
    terms: [
      'from:bounce@mail.sender.example',
      'from:@mail.sender.example',
      'from:@sender.example',
      'from:ann.s@sender.example',
      'from:ann',
      'from:smith',
      'to:orders+ann@in.example',
      'to:@in.example',
      'to:orders',
      'to:ann',
      'subject:your',
      'subject:invoice',
      'subject:inv',
      'subject:2026',
      'subject:001',
      'is:spf=fail',
    ],
  });
});

test.each<[string, DeliverySearch, boolean]>([
  ['the address of From', { sender: 'Ann.S@Sender.Example' }, true],
  ['the From header as it is shown', { sender: 'Ann Smith <ann.s@sender.example>' }, true],
  ['the envelope sender', { sender: 'bounce@mail.sender.example' }, true],
  ['the domain, with or without @', { sender: '@sender.example' }, true],
  ['the domain without @', { sender: 'sender.example' }, true],
  ['a parent domain of the envelope sender', { sender: 'mail.sender.example' }, true],
  ['another domain with the same end', { sender: 'ender.example' }, false],
  ['words of the name, in any order', { sender: 'smith ANN' }, true],
  ['the beginning of a word', { sender: 'smi' }, false],
  ['the whole mailbox of the recipient', { recipient: 'orders+ann@in.example' }, true],
  ['a word of the recipient', { recipient: 'orders' }, true],
  ['a recipient by the words of the sender', { recipient: 'smith' }, false],
  ['all words of the subject', { subject: 'invoice your' }, true],
  ['a number with its signs', { subject: 'INV-2026/001' }, true],
  ['one word that the subject lacks', { subject: 'invoice paid' }, false],
  ['a result of authentication', { verdict: ['spf=fail'] }, true],
  ['a problem that the email does not have', { verdict: ['spf=fail', 'spam'] }, false],
  ['several fields', { sender: 'ann', subject: 'invoice', verdict: ['spf=fail'] }, true],
  ['the beginning of a word with *', { sender: 'smi*', subject: 'INV* your' }, true],
  ['a beginning that no word has', { subject: 'oice*' }, false],
  ['a beginning of two letters: a whole word', { subject: 'yo*' }, false],
  ['an attachment', { has: 'attachment' }, false],
  ['text without any word', { subject: '!!!' }, false],
  ['a single letter', { subject: 'a' }, false],
])('%s', (_, search, isFound) => {
  expect(finds(search)).toBe(isFound);
});

test('without a From header, the envelope sender counts; a bounce has no sender', () => {
  expect(finds({ sender: 'bounce' }, { from: null })).toBe(true);
  expect(termsOf({ from: null, mail_from: '' }).filter((term) => term.startsWith('from:'))).toEqual(
    [],
  );
});

test.each(['<ann@sender.example>', 'ann@sender.example', null])(
  'From is %s: found by "ann"',
  (from) => {
    expect(finds({ sender: 'ann' }, { from, mail_from: 'ann@sender.example' })).toBe(true);
  },
);

test('an address inside the display name is not the sender', () => {
  const from = '"ceo@bank.example" <evil@else.example>';
  expect(finds({ sender: 'ceo@bank.example' }, { from })).toBe(false);
  expect(finds({ sender: '@else.example' }, { from })).toBe(true);
});

test('what a record omits is not found', () => {
  const omitted = { from: null, subject: null, recipients: undefined, verdict: undefined };
  expect(termsOf({ ...omitted, mail_from: '' })).toEqual([]);
});

test('an attachment is found, if there is one', () => {
  expect(finds({ has: 'attachment', subject: 'invoice' }, { has_attachments: true })).toBe(true);
});

test('nothing is searched: no terms', () => {
  expect(searchedTerms({})).toBeUndefined();
});

test.each([
  ['case', 'INVOICE', 'invoice'],
  ['accents', 'Rechnung für Müller', 'muller'],
  ['composed and decomposed letters', 'cafe\u0301', 'café'],
  ['the German ß', 'Straße', 'STRASSE'],
  ['the Turkish capital i', 'İstanbul', 'istanbul'],
  ['Cyrillic', 'СЧЁТ', 'счет'],
  ['Greek', 'ΛΟΓΟΣ', 'λόγος'],
  ['ligatures and wide letters', 'ﬁnal ＡＢＣ', 'final abc'],
  ['a soft hyphen and marks of direction', 'in\u00ADvo\u200Bice\u202E', 'invoice'],
  ['Hindi with its vowel signs', 'नमस्ते दुनिया', 'नमस्ते'],
  ['Korean', '주문 확인', '확인'],
  ['Japanese, written without spaces', '東京都からの注文', '注文'],
  ['Chinese beside Latin', '订单ABC确认', 'abc 确认'],
  ['emoji between words', '🎉invoice🎉', 'invoice'],
])('words in one spelling: %s', (_, subject, searched) => {
  expect(finds({ subject: searched }, { subject })).toBe(true);
});

describe('bounds', () => {
  const HOSTILE = {
    'a long word': 'x'.repeat(100_000),
    'many words': Array.from({ length: 20_000 }, (_, n) => `w${n}`).join(' '),
    'characters that expand': '\uFDFA'.repeat(1_000),
    'marks on marks': `a${'\u0300'.repeat(10_000)}\u0900${'\u0901'.repeat(10_000)}`,
    'surrogate pairs': `x${'𝒳'.repeat(500)}`,
    'no spaces': '東'.repeat(5_000),
    'opened brackets': '<'.repeat(1_000) + 'a@'.repeat(500),
  };

  test.each(Object.entries(HOSTILE))('%s: few, short, well-formed terms', (_, text) => {
    const recipients = Array.from({ length: 100 }, () => `${text}@in.example`);
    const terms = termsOf({
      mail_from: `${text}@x.example`,
      from: text,
      subject: text,
      recipients,
    });
    expect(terms.length).toBeLessThanOrEqual(60);
    expect(terms.filter((term) => term.length > 140 || !term.isWellFormed())).toEqual([]);
  });

  test('any text is found by itself, whatever it contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (subject) => {
        const words = wordsOf(subject, 8);
        expect(finds({ subject }, { subject })).toBe(words.length > 0);
      }),
    );
  });
});

test('only problems can be searched: pass and none are in nearly every email', () => {
  expect(VERDICTS.filter((verdict) => /pass|none|not_spam/.test(verdict))).toEqual([]);
});
