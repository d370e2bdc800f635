/** What the answers of clamd, and the symbols of rspamd, say about malware. */
import { expect, test } from 'vitest';

import {
  resultOfClamd,
  signaturesBuiltAt,
  virusOfSymbols,
} from '../../../services/core/mail/virus.ts';

test.each([
  ['stream: OK', { verdict: 'clean', name: null }],
  ['stream: Eicar FOUND', { verdict: 'infected', name: 'Eicar' }],
  ['stream: A FOUND B FOUND', { verdict: 'infected', name: 'A FOUND B' }],
  [
    'stream: Heuristics.Encrypted.Zip FOUND',
    { verdict: 'infected', name: 'Heuristics.Encrypted.Zip' },
  ],
  [`stream: ${'n'.repeat(1_000)} FOUND`, { verdict: 'infected', name: 'n'.repeat(200) }],
  ['stream: Heuristics.Limits.Exceeded.MaxFileSize FOUND', { verdict: 'not_scanned', name: null }],
  ['INSTREAM size limit exceeded. ERROR', { verdict: 'not_scanned', name: null }],
  ['stream: Can’t allocate memory ERROR', undefined],
  ['stream: OK?', undefined],
  ['UNKNOWN COMMAND', undefined],
  ['', undefined],
])('%s', (answer, result) => {
  expect(resultOfClamd(answer)).toEqual(result);
});

test.each([
  ['ClamAV 1.4.6/27825/Mon Nov 23 09:30:00 2026', '2026-11-23T09:30:00.000Z'],
  ['ClamAV 1.4.6/27825/Sun Nov  1 09:30:00 2026', '2026-11-01T09:30:00.000Z'],
  ['ClamAV 1.4.6', undefined],
  ['ClamAV 1.4.6/27825', undefined],
  ['UNKNOWN COMMAND', undefined],
])('signatures of %s', (version, builtAt) => {
  expect(signaturesBuiltAt(version)?.toISOString()).toBe(builtAt);
});

test.each([
  ['nothing', { R_SPF_ALLOW: [] }, undefined],
  ['a symbol that only looks like one', { RBL_VIRUSFREE_BOTNET: ['127.0.0.2'] }, undefined],
  ['malware', { CLAM_VIRUS: ['Eicar', 'Other'] }, { verdict: 'infected', name: 'Eicar' }],
  ['malware in a file', { SOPHOS_VIRUS: ['Eicar|a.zip'] }, { verdict: 'infected', name: 'Eicar' }],
  ['malware without a name', { CLAM_VIRUS: [] }, { verdict: 'infected', name: 'CLAM_VIRUS' }],
  ['a failure', { CLAM_VIRUS_FAIL: ['timeout'] }, { verdict: 'error', name: null }],
  ['an encrypted file', { CLAM_VIRUS_ENCRYPTED: ['x'] }, { verdict: 'not_scanned', name: null }],
  [
    'two scanners, of which one fails',
    { AVAST_VIRUS_FAIL: ['x'], CLAM_VIRUS: ['Eicar'] },
    { verdict: 'infected', name: 'Eicar' },
  ],
])('rspamd finds %s', (_, symbols, expected) => {
  const found = virusOfSymbols(
    Object.fromEntries(
      Object.entries(symbols).map(([name, options]) => [name, { options: options ?? [] }]),
    ),
  );
  expect(found).toEqual(expected && { ...expected, scanner: 'rspamd', attachments: [] });
});
