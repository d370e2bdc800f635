/** Reads from an email what any of its receivers asks for, once for all of them. */
import { parseMail } from '../../adapters/mime/parse.ts';
import { unpackText } from '../../adapters/mime/unpack.ts';
import { embeddedXml } from '../../adapters/pdf/embedded-files.ts';
import { extract } from '../../core/extract/extract.ts';
import { extractParts } from '../../core/extract/extract-parts.ts';
import type { AllExtracted, Extraction } from '../../core/extract/extraction.ts';
import type { ParsedMail } from '../../core/webhook/payload.ts';
import type { ParseWarning } from '../../core/webhook/parse-warning.ts';
import type { AcceptedRecipient, ReceivedMail } from './received-mail.ts';

const EXTRACTION_FAILED: ParseWarning = {
  code: 'extraction_failed',
  message: 'The fields requested by payload.extract could not be extracted from this email',
};

/** An accepted email is delivered, whatever its content does to what reads it. */
export function extractFrom(
  mail: ParsedMail,
  { recipients, envelope: { mailFrom } }: Pick<ReceivedMail, 'recipients' | 'envelope'>,
): { extracted?: AllExtracted | undefined; fault?: ParseWarning } {
  try {
    const requested = askedOf(recipients);
    const fields = extract(requested, mail);
    if (fields === undefined) return {};
    const readers = { unpack: unpackText, parse: parseFile, embedded: embeddedXml };
    const parts = extractParts(requested, { ...mail, mailFrom }, readers);
    return { extracted: { ...parts, fields: { ...fields, ...parts.fields } } };
  } catch {
    return { fault: EXTRACTION_FAILED };
  }
}

const parseFile = (raw: Uint8Array): ParsedMail =>
  parseMail(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));

const askedOf = (recipients: readonly AcceptedRecipient[]): ReadonlySet<Extraction> =>
  new Set(
    recipients.flatMap(({ recipient: { payload, receivers = [] } }) =>
      [payload, ...receivers.map((receiver) => receiver.payload)].flatMap(
        (settings) => settings?.extract ?? [],
      ),
    ),
  );
