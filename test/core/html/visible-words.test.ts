/** The words of a text, as the search has them: in any language, bounded, and as they were packed. */
import { describe, expect, test } from 'vitest';

import type { MsgHdrsImpl } from '@nats-io/nats-core/internal';

import { writeRetryHeaders } from '../../../services/adapters/stream/events/wire.ts';
import { searchedTerms, searchKeys } from '../../../services/core/delivery/search-terms.ts';
import {
  fittingWords,
  packWords,
  TEXT_WORDS_MAX,
  TEXT_WORDS_MAX_BYTES,
  unpackWords,
} from '../../../services/core/mail/text-words.ts';
import { SEARCHED_MAX_CHARS, visibleWords } from '../../../services/core/html/visible-words.ts';
import { mailEvent } from '../../support/mail-events.ts';
import { fc } from '../../support/random.ts';

type Content = { subject?: string; text?: string | null; html?: string | null };
const NOW = new Date('2026-03-01T12:00:00Z');

/** As a gateway collects them and a dispatcher records them. */
const recordedWords = ({ subject = 'Hello', text = null, html = null }: Content): string[] => {
  const mail = { headers: { subject }, text, html };
  const packed = packWords(visibleWords(mail, TEXT_WORDS_MAX));
  return packed === undefined ? [] : unpackWords(packed);
};
const finds = (searched: string, content: Content): boolean => {
  const record = { mail_from: '', from: null, subject: null };
  const words = recordedWords(content);
  const { terms } = searchKeys(record, NOW, { words, until: NOW });
  return (searchedTerms({ text: searched }) ?? []).every((term) =>
    term.endsWith('*')
      ? terms.some((one) => one.startsWith(term.slice(0, -1)))
      : terms.includes(term),
  );
};

test.each<[string, Content, boolean]>([
  ['lamp broken', { text: 'My LAMP arrived, broken.' }, true],
  ['lamp refund', { text: 'My lamp arrived broken.' }, false],
  ['refun*', { text: 'Please refund it' }, true],
  ['refun', { text: 'Please refund it' }, false],
  ['hello', { text: 'no greeting' }, true],
  ['muller strasse', { text: 'Müller, Hauptstraße / STRASSE' }, true],
  ['INV-2026', { text: 'invoice INV-2026/77' }, true],
  ['заказ', { text: 'Где мой ЗАКАЗ?' }, true],
  ['παραγγελια', { text: 'Πού είναι η ΠΑΡΑΓΓΕΛΊΑ μου;' }, true],
  ['فاتورة', { text: 'أرسل لي فَاتُورَة من فضلك: فاتورة' }, true],
  ['주문', { text: '주문 번호' }, true],
  ['退款', { text: '请尽快退款给我' }, true],
  ['退货', { text: '请尽快退款给我' }, false],
  ['北京大学', { text: '我在北京大学学习' }, true],
  ['請求書', { text: '先月の請求書を送ってください' }, true],
  ['ください', { text: '先月の請求書を送ってください' }, true],
  ['คืนเงิน', { text: 'ขอคืนเงินค่าสินค้า' }, true],
  ['คืนของ', { text: 'ขอคืนเงินค่าสินค้า' }, false],
  ['ប្រាក់', { text: 'សូមប្រគល់ប្រាក់មកវិញ' }, true],
  ['parcel', { html: '<p>Where is my <b>par</b>cel?</p>' }, true],
  ['secret', { html: '<p>Hi</p><div style="display:none">secret</div>' }, false],
  ['color', { html: '<style>p{color:red}</style><script>color()</script><p>Hi</p>' }, false],
  ['order', { text: 'See the HTML part.', html: '<p>Your order</p>' }, true],
])('%s in %j: %j', (searched, content, isFound) => {
  expect(finds(searched, content)).toBe(isFound);
});

test('a reply address in a quotation does not give its secret away', () => {
  const text = 'Ann <support+rticket-42-k7f3q9@in.example.com> wrote: thanks';
  expect(recordedWords({ text }).filter((word) => /42|k7f3q9/.test(word))).toEqual([]);
  expect(finds('support thanks', { text })).toBe(true);
});

const filler = (chars: number) => 'lorem ipsum '.repeat(chars / 12);

describe('bounds', () => {
  test.each([
    [SEARCHED_MAX_CHARS - 1_000, true],
    [SEARCHED_MAX_CHARS + 1_000, false],
  ])('a word after %d characters of text or of HTML is found: %j', (chars, isFound) => {
    const text = `${filler(chars)} needle`;
    expect(finds('needle', { text })).toBe(isFound);
    expect(finds('needle', { html: `<p>${text}</p>` })).toBe(isFound);
  });

  test('an email has at most 3,000 words, in 24 KiB', () => {
    const letters = Array.from({ length: 20_000 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join(
      '',
    );
    const long = Array.from({ length: 5_000 }, (_, n) => `${n}`.padStart(30, 'x')).join(' ');
    for (const text of [letters, long, `${letters} ${long}`]) {
      const words = recordedWords({ text });
      expect(words.length).toBeLessThanOrEqual(TEXT_WORDS_MAX);
      expect(words.length).toBeGreaterThan(700);
      expect(Buffer.byteLength(words.join(' '))).toBeLessThanOrEqual(TEXT_WORDS_MAX_BYTES);
    }
  });

  test.each([
    ['a', 0],
    ['字', 0],
    ['a', 40],
    ['字', 40],
  ])('the headers of a message stay below 64 KiB: fields of %s, %d rules', (letter, rules) => {
    const rule = { name: letter.repeat(64), scope: 'address', action: 'hold', result: 'matched' };
    const event = {
      ...mailEvent({ id: 'addr_1', account_id: 'acc_1', environment: 'live' }, NOW),
      from: letter.repeat(1_000),
      subject: letter.repeat(1_000),
      recipients: Array.from({ length: 5 }, () => letter.repeat(320)),
      ruling: { rules: Array.from({ length: rules }, () => rule) } as never,
    };
    const text = Array.from({ length: 20_000 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join(
      '',
    );
    const packed = packWords(visibleWords({ headers: event, text, html: null }, TEXT_WORDS_MAX))!;
    const text_words = fittingWords({ packed, until_ms: NOW.getTime() }, event);
    const place = { storedAt: { partition: 0, sequence: 1 }, dueAt: NOW, revision: 1 };
    const written = writeRetryHeaders({ ...event, text_words }, place) as MsgHdrsImpl;
    expect(written.encode().byteLength).toBeLessThan(64 * 1024 - 1_024);
    const words = unpackWords(text_words?.packed ?? '');
    expect(words).toEqual(unpackWords(packed).slice(0, words.length));
    expect(words.length).toBeGreaterThan(500);
  });

  test('no words: nothing is packed', () => {
    expect(
      packWords(visibleWords({ headers: { subject: '?' }, text: '!', html: '' }, 9)),
    ).toBeUndefined();
  });

  test('whatever the text, its words arrive as they were, without blanks', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const mail = { headers: { subject: null }, text, html: null };
        const words = visibleWords(mail, TEXT_WORDS_MAX);
        const packed = packWords(words);
        expect(packed === undefined ? [] : unpackWords(packed)).toEqual(words);
      }),
    );
  });
});
