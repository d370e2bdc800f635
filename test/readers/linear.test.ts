/**
 * Whatever a stranger sends, the CPU time of each reader grows with the length of the text, not with
 * its square. Random texts look for more shapes, and those that were slow once are tried each time.
 */
import { describe, expect, test } from 'vitest';

import { fc, runs, seed } from '../support/random.ts';
import { cpuMs, leastCpuMs } from '../support/cpu-time.ts';
import { type Shape, shapeOf, textOf } from './hostile-text.ts';
import { type Reader, READERS } from './readers.ts';

const [SMALL_CHARS, LARGE_CHARS] = [8 * 1024, 32 * 1024];
/** A reader that takes less for the large text is fast enough to be not measured again. */
const FAST_MS = 15;
/** Four times the text takes four times as long, or sixteen times where the time is quadratic. */
const GROWTH_MAX = 9;
/** Of lines of bounded length, the time may be linear and long. The slowest reader takes 25 ms. */
const LARGE_MAX_MS = 150;

const KNOWN: Readonly<Record<string, readonly Shape[]>> = {
  'style sheet': [repeated('a{#:1}'), { ...repeated('x,'), before: declarations(500) }],
  'style of each element': [repeated('background:('), repeated('display:none;')],
  'reply text': [repeated(`-----a${'-'.repeat(985)}b\n`), repeated(`RE${' '.repeat(900)}\n`)],
  'reply in HTML': [
    { before: ' '.repeat(20_000), piece: [{ token: '<div></div>', times: 1 }], after: '' },
    { before: '<pre>', piece: [{ token: ' \n', times: 1 }], after: '' },
  ],
  'formats of other services': [repeated('+'), repeated('+@'), repeated(' ')],
  'forwarded text': [repeated('\n'), repeated(' \n')],
  'bounce in words': [repeated(`a@b.example on ${'0:00'.repeat(240)}\u2028\n`)],
  'bounce report': [repeated(`Final-Recipient: rfc822;${'@'.repeat(960)}<\n\n`)],
  'searched words': [
    repeated('\u0316\u0301'),
    repeated('\u0316\u200b\u0f39'),
    repeated('\uff9e\u0316'),
    repeated('+'),
  ],
  'content type': [
    { ...repeated(';a*0*=%41'), before: 'text/plain; ' },
    { ...repeated(';a="'), before: 'text/plain; ' },
    { ...repeated('\t'), after: '=?utf-8?q?a?=' },
    { ...repeated('\t'), before: 'text/plain; charset=a', after: 'b' },
  ],
  'content disposition': [{ ...repeated(' '), before: 'inline; a=b', after: 'c' }],
  'content id': [repeated('>'), repeated('<'), repeated(' ')],
  'list of senders': [repeated('.'), repeated('a.')],
  'encoded words': [
    repeated('=?a?q?a?='),
    repeated('=?a?q?=FF=FE?= '),
    { ...repeated('?='), before: '=?utf-8?q?' },
  ],
  date: [repeated('('), repeated('12:00 ')],
  'DMARC report': [repeated('&lt;')],
  'plain text': [repeated('shttp'), repeated('a@'), repeated('**')],
};

function repeated(token: string): Shape {
  return { before: '', piece: [{ token, times: 1 }], after: '' };
}

function declarations(count: number): string {
  return `x{${Array.from({ length: count }, (_, at) => `p${at}:1`).join(';')}}`;
}

/** A busy machine or a collection of garbage can make one measurement slow, not all of them. */
const CONFIRMATIONS = 4;

/** Undefined when the reader is fast. */
function slowness({ read }: Reader, shape: Shape): string | undefined {
  const large = textOf(shape, LARGE_CHARS);
  if (cpuMs(() => read(large)) < FAST_MS) return undefined;
  const small = textOf(shape, SMALL_CHARS);
  let [smallMs, largeMs] = [0, Infinity];
  for (let count = 0; count < CONFIRMATIONS; count++) {
    smallMs = Math.max(
      smallMs,
      leastCpuMs(() => read(small)),
    );
    largeMs = Math.min(
      largeMs,
      leastCpuMs(() => read(large)),
    );
    const isQuadratic = largeMs > FAST_MS && largeMs > GROWTH_MAX * smallMs;
    if (!isQuadratic && largeMs <= LARGE_MAX_MS) return undefined;
  }
  return `${smallMs} ms for 8 KiB, ${largeMs} ms for 32 KiB`;
}

const EXAMPLES = Object.entries(READERS).flatMap(([name, { read, example }]) =>
  example === undefined ? [] : [{ name, read, example }],
);
test.each(EXAMPLES)('$name: its example is read', ({ read, example }) => {
  expect(read(example) ?? undefined).toBeDefined();
});

describe.each(Object.entries(READERS))('%s', (name, reader) => {
  test.each(KNOWN[name] ?? [])('is linear for %j', (shape) => {
    expect(slowness(reader, shape)).toBeUndefined();
  });

  test(`is linear for random shapes (seed ${seed})`, () => {
    fc.assert(
      fc.property(shapeOf(reader.tokens), (shape) => {
        expect(slowness(reader, shape)).toBeUndefined();
      }),
      runs(40),
    );
  });
});
