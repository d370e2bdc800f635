/** Mutants of emails, with every extraction: nothing throws, and nothing takes long. */
import { expect, test } from 'vitest';

import { parseMail } from '../../../services/adapters/mime/parse.ts';
import { unpackText } from '../../../services/adapters/mime/unpack.ts';
import { extract } from '../../../services/core/extract/extract.ts';
import { extractParts } from '../../../services/core/extract/extract-parts.ts';
import { Extracted } from '../../../services/core/extract/extraction.ts';
import { EXTRACTIONS } from '../../../services/core/extract/extraction-names.ts';
import { fc, runs } from '../../support/random.ts';
import { labelledEmails } from './labelled-emails.ts';

/** Time of the processor, so that a busy machine does not matter. Far more than any mutant needs. */
const STALL_MS = 2_000;
const cpuMs = (): number => process.cpuUsage().user / 1_000;
const EMAILS = labelledEmails().map(({ subject, text, html }) =>
  [
    `Subject: ${subject}`,
    'List-Unsubscribe: <https://a.example/u>, <mailto:u@a.example>',
    'MIME-Version: 1.0',
    'Content-Type: multipart/alternative; boundary=b',
    ...(text === null ? [] : ['', '--b', 'Content-Type: text/plain; charset=utf-8', '', text]),
    ...(html === null ? [] : ['', '--b', 'Content-Type: text/html; charset=utf-8', '', html]),
    '--b--',
    '',
  ].join('\r\n'),
);

const mutation = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat(200),
  insert: fc.constantFrom(
    '',
    '<',
    '>',
    '"',
    '&',
    '<div style="display:none;',
    '<td>',
    '</td>',
    '<style>',
    '{',
    '}',
    '/*',
    'https://',
    '[',
    '](',
    '`',
    '\u200b',
    '\u{e0041}',
    '123456',
    'code: ',
    '\r\n',
    '<!--',
    '(',
    ')',
  ),
  times: fc.constantFrom(1, 1, 1, 50, 3_000),
});
const mutant = fc
  .tuple(fc.constantFrom(...EMAILS), fc.array(mutation, { maxLength: 8 }))
  .map(([email, mutations]) =>
    mutations.reduce((text, { at, length, insert, times }) => {
      const start = Math.floor(at * text.length);
      return `${text.slice(0, start)}${insert.repeat(times)}${text.slice(start + length)}`;
    }, email),
  );

test('of a mutant, everything that is asked for is extracted, in time and in the form of the payload', () => {
  let slowestMs = 0;
  fc.assert(
    fc.property(mutant, (raw) => {
      const mail = parseMail(Buffer.from(raw));
      const startedAt = cpuMs();
      const asked = new Set(EXTRACTIONS);
      const parts = extractParts(asked, { ...mail, mailFrom: '' }, unpackText);
      const extracted = { ...extract(asked, mail), ...parts.fields };
      slowestMs = Math.max(slowestMs, cpuMs() - startedAt);
      expect(Object.keys(extracted).toSorted()).toEqual([...EXTRACTIONS].toSorted());
      Extracted.parse(extracted);
    }),
    runs(200),
  );
  expect(slowestMs).toBeLessThan(STALL_MS);
});

const EXTREMES: Readonly<Record<string, string>> = {
  'open tags': '<b>'.repeat(90_000),
  'open brackets': '<'.repeat(262_144),
  'closing brackets of URLs': `http://a${')'.repeat(262_000)}`,
  URLs: 'http://'.repeat(37_000),
  entities: '&amp;'.repeat(52_000),
  'style rules': `<style>${'a{'.repeat(100_000)}`,
  comments: `<style>${'/*'.repeat(100_000)}`,
  candidates: 'code: 123456 '.repeat(20_000),
  lines: 'code\n123456\n'.repeat(20_000),
  'one number': '1'.repeat(262_144),
  'one word': 'a'.repeat(262_144),
  'mail signs': 'a@'.repeat(131_000),
  backticks: `<pre>${'`'.repeat(250_000)}`,
  quotations: '<blockquote>a'.repeat(20_000),
  'tag characters': '\u{e0041}'.repeat(131_000),
};
test.each(Object.entries(EXTREMES))('256 Ki characters of %s do not stall', (_, text) => {
  const startedAt = cpuMs();
  extract(new Set(EXTRACTIONS), { headers: { subject: text, all: [] }, text, html: text });
  expect(cpuMs() - startedAt).toBeLessThan(STALL_MS);
});
