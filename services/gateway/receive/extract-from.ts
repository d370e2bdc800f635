/** Reads from an email what any of its receivers asks for, once for all of them. */
import { extract } from '../../core/extract/extract.ts';
import type { Extracted, Extraction } from '../../core/extract/extraction.ts';
import type { ParsedMail } from '../../core/webhook/payload.ts';
import type { ParseWarning } from '../../core/webhook/parse-warning.ts';
import type { AcceptedRecipient } from './received-mail.ts';

const EXTRACTION_FAILED: ParseWarning = {
  code: 'extraction_failed',
  message: 'What the receiver asks for with payload.extract could not be read from this email',
};

/** An accepted email is delivered, whatever its content does to what reads it. */
export function extractFrom(
  mail: ParsedMail,
  recipients: readonly AcceptedRecipient[],
): { extracted?: Extracted | undefined; fault?: ParseWarning } {
  try {
    return { extracted: extract(askedOf(recipients), mail) };
  } catch {
    return { fault: EXTRACTION_FAILED };
  }
}

const askedOf = (recipients: readonly AcceptedRecipient[]): ReadonlySet<Extraction> =>
  new Set(
    recipients.flatMap(({ recipient: { payload, receivers = [] } }) =>
      [payload, ...receivers.map((receiver) => receiver.payload)].flatMap(
        (settings) => settings?.extract ?? [],
      ),
    ),
  );
