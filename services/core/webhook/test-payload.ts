/** The sample that POST /addresses/{id}/test sends: a payload like any other, marked as a test. */
import { SPEC_PAYLOAD } from '../receiver/payload-settings.ts';
import { exampleOf } from '../resource/api-reference.ts';
import { Code, type Extracted, type Extraction, Link } from '../extract/extraction.ts';
import { buildPayload } from './build-payload.ts';
import { type WebhookPayload } from './payload.ts';
import { writtenPayload } from './payload-bytes.ts';
import { NOT_CHECKED } from '../mail/spam.ts';

export type TestPayload = WebhookPayload & {
  /** Only in tests; always true. */ is_test: true;
};

type TestedAddress = { id: string; address: string; reply_addresses?: boolean | undefined };

const SENDER = 'test@inlet.invalid'; // reserved by RFC 2606 §2
const TEXT =
  'This is a test. No email was received. The signature, the headers and the format of this payload ' +
  'are the same as for a real one.\n';
const FILE = 'An attachment of the test.\n';

/** Sample extracts. The test text itself contains no code or link. */
const EXTRACTED: Required<Omit<Extracted, 'forwarding_request' | 'further_e_invoices'>> = {
  codes: [exampleOf(Code)],
  links: [exampleOf(Link)],
  markdown: TEXT.trim(),
  hidden_text: null,
  invitation: null,
  bounce: null,
  report: null,
  forwarded: null,
  e_invoice: null,
};

/** The test is for the address itself, which is not a reply address. */
const NO_REPLY = { status: 'none', reference: null, expires_at: null, sender: null } as const;

/**
 * @param eventId of this test only: no delivery has it
 * @param extract what the receiver asks for
 */
export function testPayload(
  { id, address, reply_addresses }: TestedAddress,
  eventId: string,
  now: Date,
  extract: readonly Extraction[] = [],
): TestPayload {
  const content = Buffer.from(FILE);
  const payload = buildPayload({
    eventId,
    addressId: id,
    envelope: { mailFrom: SENDER, heloDomain: 'inlet.invalid', remoteIp: '192.0.2.1' }, // RFC 5737
    named: [address],
    rcptTo: [address],
    ...(reply_addresses && { reply: NO_REPLY }),
    mail: {
      headers: {
        from: `"Inlet test" <${SENDER}>`,
        to: address,
        cc: null,
        bcc: null,
        subject: 'Test webhook',
        date: now,
        message_id: `<${eventId}@inlet.invalid>`,
        in_reply_to: null,
        references: null,
        reply_to: null,
        all: [
          { name: 'From', value: `"Inlet test" <${SENDER}>` },
          { name: 'To', value: address },
          { name: 'Subject', value: 'Test webhook' },
        ],
      },
      text: TEXT,
      html: null,
      replyText: null,
      attachments: [
        {
          filename: 'test.txt',
          contentType: 'text/plain',
          content,
          contentId: null,
          disposition: 'attachment',
          method: null,
        },
      ],
      warnings: [],
    },
    sizeBytes: TEXT.length + content.byteLength,
    spam: NOT_CHECKED,
    receivedAt: now,
    now,
    settings: { ...SPEC_PAYLOAD, extract: [...extract] },
    extracted: { fields: EXTRACTED, unreadable: [] },
  });
  return { is_test: true, ...writtenPayload(payload) };
}
