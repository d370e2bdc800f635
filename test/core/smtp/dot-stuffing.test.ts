/**
 * Dots of DATA: unstuffing restores what a client stuffed, wherever it is split; only CR LF . CR LF
 * ends an email (checklist 1, 4).
 */
import { describe, expect, test } from 'vitest';

import { createStuffer, createUnstuffer } from '../../../services/core/smtp/dot-stuffing.ts';
import { fc, runs } from '../../support/random.ts';

/** The email, and the rest for commands; undefined until it ends. */
function read(chunks: readonly Buffer[]): { mail: string; rest: string | undefined } {
  const unstuff = createUnstuffer();
  let mail = '';
  for (const [i, chunk] of chunks.entries()) {
    const { content, end } = unstuff(chunk);
    mail += content.toString('latin1');
    if (end !== undefined)
      return {
        mail,
        rest: Buffer.concat([chunk.subarray(end), ...chunks.slice(i + 1)]).toString('latin1'),
      };
  }
  return { mail, rest: undefined };
}
const whole = (text: string) => read([Buffer.from(text, 'latin1')]);
const byByte = (text: string) =>
  read([...Buffer.from(text, 'latin1')].map((byte) => Buffer.from([byte])));

/** The same as the RFC describes it, line by line. */
function byTheBook(text: string): { mail: string; rest: string | undefined } {
  let mail = '';
  for (let at = 0; ;) {
    const end = text.indexOf('\r\n', at);
    const line = end === -1 ? text.slice(at) : text.slice(at, end + 2);
    if (line === '.\r\n') return { mail, rest: text.slice(end + 2) };
    if (end === -1)
      return {
        mail: mail + (line.startsWith('.') ? line.slice(1).replace(/^\r$/, '') : line),
        rest: undefined,
      };
    mail += line.startsWith('.') ? line.slice(1) : line;
    at = end + 2;
  }
}

describe('checklist 1, 4: the dots of DATA', () => {
  test.each<[string, string, string | undefined]>([
    ['.\r\n', '', ''],
    ['..\r\n.\r\nQUIT\r\n', '.\r\n', 'QUIT\r\n'],
    ['a\r\n..b\r\n.c\r\n.\r\n', 'a\r\n.b\r\nc\r\n', ''],
    ['a\n.\nb\r\n.\r\n', 'a\n.\nb\r\n', ''],
    ['a\n..b\r\n.\r\n', 'a\n..b\r\n', ''],
    ['\r\n.\r\r\n.\r\n', '\r\n\r\r\n', ''],
    ['\r\n.\rx.\r\n', '\r\n\rx.\r\n', undefined],
    ['\r\r\n.\r\n', '\r\r\n', ''],
  ])('%j', (text, mail, rest) => {
    expect([whole(text), byByte(text), byTheBook(text)]).toEqual([
      { mail, rest },
      { mail, rest },
      { mail, rest },
    ]);
  });

  const texts = fc
    .array(fc.constantFrom('\r\n', '.', '\r', '\n', 'x', '\r\n.', '.\r\n', '\r\n.\r\n'), {
      maxLength: 20,
    })
    .map((parts) => parts.join(''));

  test('any bytes, split anywhere, are read as the RFC describes', () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat(60), { maxLength: 8 }), (text, cuts) => {
        const bytes = Buffer.from(text);
        const ends = [
          0,
          ...cuts.map((cut) => Math.min(cut, bytes.byteLength)),
          bytes.byteLength,
        ].toSorted((one, other) => one - other);
        const expected = byTheBook(text);
        expect(read(ends.slice(1).map((end, i) => bytes.subarray(ends[i], end)))).toEqual(expected);
        expect(byByte(text)).toEqual(expected);
      }),
      runs(5_000),
    );
  });

  test('unstuffing restores what a client stuffed', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const mail = `${text}\r\n`;
        expect(whole(`${mail.replace(/^\./, '..').replace(/\r\n\./g, '\r\n..')}.\r\nNOOP`)).toEqual(
          { mail, rest: 'NOOP' },
        );
      }),
      runs(1_000),
    );
  });

  test('stuffing any bytes, split anywhere, is undone by unstuffing', () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 6 }), (parts) => {
        const { stuff, end } = createStuffer();
        const sent = [...parts.map((part) => stuff(Buffer.from(part))), Buffer.from(end())];
        const mail = parts.join('');
        const isWhole = mail === '' || mail.endsWith('\r\n');
        expect(whole(Buffer.concat(sent).toString())).toEqual({
          mail: isWhole ? mail : `${mail}\r\n`,
          rest: '',
        });
      }),
      runs(2_000),
    );
  });
});
