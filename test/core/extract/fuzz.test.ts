/** Mutants of emails, with every extraction: nothing throws, and nothing takes long. */
import { expect, test } from 'vitest';

import { embeddedXml } from '../../../services/adapters/pdf/embedded-files.ts';
import { parseMail } from '../../../services/adapters/mime/parse.ts';
import { unpackText } from '../../../services/adapters/mime/unpack.ts';
import { extract } from '../../../services/core/extract/extract.ts';
import { extractParts } from '../../../services/core/extract/extract-parts.ts';
import { Extracted } from '../../../services/core/extract/extraction.ts';
import { EXTRACTIONS } from '../../../services/core/extract/extraction-names.ts';
import { growth, LINEAR } from '../../support/growth.ts';
import { fc, runs } from '../../support/random.ts';
import { atMost } from '../../support/slowdown.ts';
import { EXTREMES, mutant } from './mutants.ts';

const READERS = {
  unpack: unpackText,
  parse: (raw: Uint8Array) => parseMail(Buffer.from(raw)),
  embedded: embeddedXml,
};
/** Time of the processor: far more than any mutant needs. */
const STALL_MS = 2_000;
const cpuMs = (): number => process.cpuUsage().user / 1_000;

test('of a mutant, everything that is asked for is extracted, in time and in the form of the payload', () => {
  let slowestMs = 0;
  fc.assert(
    fc.property(mutant, (raw) => {
      const mail = parseMail(Buffer.from(raw));
      const startedAt = cpuMs();
      const requested = new Set(EXTRACTIONS);
      const parts = extractParts(requested, { ...mail, mailFrom: '' }, READERS);
      const extracted = { ...extract(requested, mail), ...parts.fields };
      slowestMs = Math.max(slowestMs, cpuMs() - startedAt);
      expect(Object.keys(extracted).toSorted()).toEqual([...EXTRACTIONS].toSorted());
      Extracted.parse(extracted);
    }),
    runs(200),
  );
  expect(slowestMs).toBeLessThan(atMost(STALL_MS));
});

test.each(Object.entries(EXTREMES))('256 Ki characters of %s take linear time', (_, whole) => {
  const read = (size: number) => {
    const text = whole.slice(0, size);
    extract(new Set(EXTRACTIONS), { headers: { subject: text, all: [] }, text, html: text });
  };
  expect(growth(whole.length, read)).toBeLessThan(LINEAR);
});
