/** How an email is signed or encrypted by its author: S/MIME (RFC 8551) or OpenPGP (RFC 3156, RFC 9580). */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import { orNull } from '../resource/described.ts';

const KINDS = ['smime', 'pgp'] as const;

export const Encrypted = z.enum(KINDS);
export type Encrypted = z.infer<typeof Encrypted>;

export const MailSignature = z.object({
  kind: z.enum(KINDS),
  subject: orNull(
    z.string(),
    'whom the enclosed certificate names, as it says itself, at most 500 characters; null when ' +
      'it encloses none, and for PGP',
  ),
  is_valid: orNull(
    z.boolean(),
    'whether the text and the files are those that the key of the enclosed certificate signed; ' +
      'nobody asks who issued the certificate or whether it has expired. null when not checked: ' +
      'PGP, a part of the email only, no certificate, or an algorithm that is weak or unknown',
  ),
});
export type MailSignature = z.infer<typeof MailSignature>;
describeSchema(MailSignature, 'MailSignature', {
  kind: 'smime',
  subject: 'CN=Ann Reed, emailAddress=ann@sender.example',
  is_valid: true,
});

/** Both are absent for most email. */
export type Protection = {
  signature?: MailSignature | undefined;
  encrypted?: Encrypted | undefined;
};

const PGP = /^-----(BEGIN PGP (?:SIGNED )?MESSAGE)-----[ \t\r]*$/m;

/** OpenPGP in the text itself (RFC 9580 §6.2, §7). */
export function inlinePgp(text: string): Protection {
  const found = text.includes('-----BEGIN PGP ') ? PGP.exec(text)?.[1] : undefined;
  if (found === undefined) return {};
  return found === 'BEGIN PGP MESSAGE'
    ? { encrypted: 'pgp' }
    : { signature: { kind: 'pgp', subject: null, is_valid: null } };
}

type Compared = Record<(typeof COMPARED)[number], string | null>;
const COMPARED = ['from', 'to', 'cc', 'reply_to', 'subject'] as const;

/**
 * The headers of an email, with the subject within its signature (RFC 9788). Everything that shows or
 * judges the email has this one subject. No other header is taken from there: DMARC judges From.
 * @param inner within a valid signature of the whole email
 */
export function withProtected<H extends Compared>(
  headers: H,
  inner: Compared | undefined,
): { headers: H; differ: boolean } {
  if (inner === undefined) return { headers, differ: false };
  return {
    headers: { ...headers, subject: inner.subject ?? headers.subject },
    differ: COMPARED.some((name) => inner[name] !== null && inner[name] !== headers[name]),
  };
}

/** A parse warning. */
export const PROTECTED_HEADERS = {
  code: 'protected_headers_differ',
  message:
    'Headers within the signature differ from those of the email: the subject within it is shown, ' +
    'and all other headers are those of the email',
};
