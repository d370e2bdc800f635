/** Reads a mail as far as all its payloads need it: parsed, encoded once, and with what is to be known of its bytes. */
import { digestOfRaw } from '../../core/delivery/mail-event.ts';
import type { ParsedMail, ParseWarning } from '../../core/mail/payload.ts';
import { encodeMail, type MailEncoding } from '../../core/mail/payload-bytes.ts';
import { hasBareLineEnds } from '../../core/mail/raw-mail.ts';
import { parseMail, rescueMail } from './parse.ts';

/** The mail under our trace headers, and how many of its last bytes came so. */
export type KeptMail = { kept: Buffer; rawBytes: number };

export type MailReading = MailEncoding & {
  /** Digest of the mail as it came. */
  rawDigest: string;
  /** Whether a CR or a LF stands alone in it. */
  bareLineEnds: boolean;
};

const BARE_LINE_ENDS: ParseWarning = {
  code: 'bare_line_ends',
  message: 'A CR or LF stands alone somewhere: other programs may see other lines in this mail',
};

/** @param nonce see {@link encodeMail} */
export const readMail = async (mail: KeptMail, nonce?: string): Promise<MailReading> =>
  readingOf(mail, await parseMail(mail.kept), nonce);

/** What is to be had of a mail at little cost, whatever its bytes. */
export const readBeginning = async (mail: KeptMail, warning: ParseWarning): Promise<MailReading> =>
  readingOf(mail, await rescueMail(mail.kept, warning));

function readingOf({ kept, rawBytes }: KeptMail, parsed: ParsedMail, nonce?: string): MailReading {
  const raw = kept.subarray(kept.byteLength - rawBytes);
  const bareLineEnds = hasBareLineEnds(raw);
  const mail = bareLineEnds
    ? { ...parsed, warnings: [...parsed.warnings, BARE_LINE_ENDS] }
    : parsed;
  return { ...encodeMail(mail, nonce), rawDigest: digestOfRaw(raw), bareLineEnds };
}
