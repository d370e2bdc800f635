/**
 * Whatever From is made of: where DMARC passes for a domain, no reader of `headers.from` finds an
 * author of another one (D120). `npm run test:fuzz` prints the seed.
 */
import { expect, test } from 'vitest';

import { type Dns, DnsError, type RecordType } from '../../../services/adapters/dns/resolver.ts';
import { createAuthenticate } from '../../../services/adapters/mailauth/authenticate.ts';
import { parseMail } from '../../../services/adapters/mime/parse.ts';
import { domainOf, readAddressField } from '../../../services/core/mail/fields/address-field.ts';
import { judgedAuthor } from '../../../services/core/mail/author.ts';
import { atLeast, fc, runs, seed } from '../../support/random.ts';
import { readByOthers } from './from-readers.ts';

const PIECES = [
  'x@evil.example',
  'ann@partner.example',
  'Ann',
  'evil.example',
  'partner.example',
  'x',
  '@',
  '.',
  ' ',
  '  ',
  '\t',
  '\r\n ',
  '\r\n\t',
  '"',
  '\\',
  '\\"',
  '<',
  '>',
  '(',
  ')',
  '[',
  ']',
  ',',
  ';',
  ':',
  '<ann@partner.example>',
  '<x@evil.example>',
  '"ann@partner.example"',
  '(ann@partner.example)',
  '=?utf-8?q?ann=40partner.example?=',
  '=?utf-8?q?=22,_<ann@partner.example>?=',
  '=?utf-8?b?IiwgPGFubkBwYXJ0bmVyLmV4YW1wbGU+?=',
  '=?',
  '?=',
  '\u00a0',
  '\ufeff',
  '\u2028',
  '\0',
  'ü',
  '\r\nFrom: ann@partner.example',
  '\r\nFrom : ann@partner.example',
  '\r\nFrom\u00a0: ann@partner.example',
  '\r\nFrom',
];

const anyField = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 9 })
  .map((pieces) => pieces.join(''));

const records: Partial<Record<string, string>> = {
  'evil.example': 'v=spf1 +all',
  '_dmarc.evil.example': 'v=DMARC1; p=reject',
  '_dmarc.partner.example': 'v=DMARC1; p=reject',
};
const resolve = async (name: string, type: RecordType) => {
  const record = records[name.toLowerCase()];
  if (type !== 'TXT' || record === undefined) throw new DnsError('ENOTFOUND', type, name);
  return [[record]];
};

const authenticate = createAuthenticate({ resolve } as unknown as Dns, {
  hostname: 'mx.in.example',
  budgetMs: 60_000,
  trustedSealers: [],
});

type Shown = { from: string; domain: string };

/** The author that a webhook shows, and whom DMARC authenticates; undefined where it does not pass. */
async function shownAuthor(field: string): Promise<Shown | undefined> {
  const raw = Buffer.from(`From: ${field}\r\nMIME-Version: 1.0\r\n\r\nHello\r\n`);
  const found = await authenticate(raw, {
    mailFrom: 'x@evil.example',
    heloDomain: 'evil.example',
    remoteIp: '192.0.2.1',
  });
  const { headers, warnings } = parseMail(raw);
  const { authentication, isUnclear } = judgedAuthor(found, headers.from);
  const isWarned = isUnclear || warnings.some(({ code }) => code === 'unclear_author');
  if (authentication?.dmarc.result !== 'pass' || isWarned) return undefined;
  return { from: headers.from ?? '', domain: authentication.dmarc.domain ?? '' };
}

const domainsOf = (addresses: readonly string[]): string[] => [
  ...new Set(addresses.filter((address) => address.includes('@')).map(domainOf)),
];

test('no reader sees another author than the one who passed', async () => {
  const passed = new Map<string, Shown & { field: string }>();
  const property = fc.asyncProperty(anyField, async (field) => {
    const shown = await shownAuthor(field);
    if (shown === undefined) return;
    const { mailboxes } = readAddressField(shown.from);
    expect(domainsOf(mailboxes.map(({ address }) => address))).toEqual([shown.domain]);
    expect(shown.domain).toMatch(/(^|\.)evil\.example$/);
    passed.set(shown.from, { ...shown, field });
  });
  await fc.assert(property, runs(3_000));
  const cases = [...passed.values()];
  expect(cases.length).toBeGreaterThanOrEqual(atLeast(20));
  const readings = Object.entries(readByOthers(cases.map(({ from }) => from)));
  const deceived = readings.flatMap(([reader, found]) =>
    cases.flatMap((one, index) => {
      const others = domainsOf(found[index] ?? []).filter((domain) => domain !== one.domain);
      return others.length > 0 ? [{ reader, others, seed, ...one }] : [];
    }),
  );
  expect(deceived).toEqual([]);
});
