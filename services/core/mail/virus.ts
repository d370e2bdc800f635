/** What a scanner found in an email (D59): clamd where configured, else the antivirus module of rspamd. */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';

const MalwareName = z.string().describe('of the malware, as the scanner calls it');

const InfectedAttachment = z.object({
  index: z.int().min(0).describe('place in attachments of the payload, from 0'),
  filename: z.string().describe('its name there'),
  name: MalwareName,
});

/** `virus` of the payload. */
export const Virus = z.object({
  verdict: z
    .enum(['clean', 'infected', 'not_scanned', 'error'])
    .describe(
      'not_scanned: the scanner did not look into all of it; error: it did not answer in time',
    ),
  name: MalwareName.nullable().describe(
    'of the malware, as the scanner calls it; null unless infected',
  ),
  scanner: z.enum(['clamd', 'rspamd']),
  attachments: z
    .array(InfectedAttachment)
    .describe(
      'infected attachments, at most 50; empty if the malware is elsewhere in the email, and with rspamd',
    ),
});
export type Virus = z.infer<typeof Virus>;
describeSchema(Virus, 'Virus', {
  verdict: 'infected',
  name: 'Win.Test.EICAR_HDB-1',
  scanner: 'clamd',
  attachments: [{ index: 0, filename: 'invoice.zip', name: 'Win.Test.EICAR_HDB-1' }],
});

/** The result for bytes: an email or an attachment. */
export type ScanResult = Pick<Virus, 'verdict' | 'name'>;

const NAME_MAX_CHARS = 200;
const infectedBy = (name: string): ScanResult => ({
  verdict: 'infected',
  name: name.slice(0, NAME_MAX_CHARS),
});

/**
 * The result in clamd's answer to INSTREAM (clamd(8)).
 * @returns undefined if the answer has none
 */
export function resultOfClamd(answer: string): ScanResult | undefined {
  if (answer === 'stream: OK') return { verdict: 'clean', name: null };
  if (answer.startsWith('INSTREAM size limit exceeded'))
    return { verdict: 'not_scanned', name: null }; // StreamMaxLength
  const [start, end] = ['stream: ', ' FOUND'];
  if (!answer.startsWith(start) || !answer.endsWith(end)) return undefined;
  const name = answer.slice(start.length, -end.length);
  return name.startsWith('Heuristics.Limits.Exceeded')
    ? { verdict: 'not_scanned', name: null } // AlertExceedsMax
    : infectedBy(name);
}

/**
 * When the signatures were built, from clamd's answer to VERSION: `ClamAV 1.4.6/27500/Mon Nov 23
 * 09:30:00 2026`. clamd writes its own local time, which is taken for UTC.
 * @returns undefined without signatures of ClamAV's own
 */
export function signaturesBuiltAt(version: string): Date | undefined {
  const [, , text] = version.split('/');
  const time = Date.parse(`${text} UTC`);
  return Number.isNaN(time) ? undefined : new Date(time);
}

const ofRspamd = (result: ScanResult): Virus => ({ ...result, scanner: 'rspamd', attachments: [] });

/** By name; the options of a symbol of the antivirus module are names of malware. */
type Symbols = Readonly<Record<string, { options: readonly string[] }>>;

/**
 * What the antivirus module of rspamd says.
 * @returns undefined without a symbol of it: it has none for clean emails
 */
export function virusOfSymbols(symbols: Symbols): Virus | undefined {
  const has = (end: string) => Object.keys(symbols).some((symbol) => symbol.endsWith(end));
  for (const [symbol, { options }] of Object.entries(symbols))
    if (symbol.endsWith('_VIRUS')) {
      const [name] = options[0]?.split('|') ?? []; // name|filename
      return ofRspamd(infectedBy(name || symbol));
    }
  if (has('_VIRUS_FAIL')) return ofRspamd({ verdict: 'error', name: null });
  if (has('_VIRUS_ENCRYPTED')) return ofRspamd({ verdict: 'not_scanned', name: null });
  return undefined;
}
