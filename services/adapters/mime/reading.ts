/** Reads an email as far as all its payloads need it: parsed, and with facts about its bytes. */
import { digestOfRaw } from '../../core/delivery/mail-event.ts';
import type { ParsedMail, ParseWarning } from '../../core/mail/payload.ts';
import { hasBareLineEnds } from '../../core/mail/raw-mail.ts';
import { parseMail, rescueMail } from './parse.ts';

/** The mail under our trace headers, and how many of its last bytes came so. */
export type KeptMail = { kept: Buffer; rawBytes: number };

export type MailReading = {
  mail: ParsedMail;
  /** Digest of the mail as it came. */
  rawDigest: string;
  /** Whether a CR or a LF stands alone in it. */
  bareLineEnds: boolean;
};

const BARE_LINE_ENDS: ParseWarning = {
  code: 'bare_line_ends',
  message: 'A CR or LF stands alone somewhere: other programs may see other lines in this mail',
};

export const readMail = (mail: KeptMail): MailReading => readingOf(mail, parseMail(mail.kept));

/** Headers and the beginning of the text, at little cost whatever the bytes. */
export const readBeginning = (mail: KeptMail, warning: ParseWarning): MailReading =>
  readingOf(mail, rescueMail(mail.kept, warning));

function readingOf({ kept, rawBytes }: KeptMail, parsed: ParsedMail): MailReading {
  const raw = kept.subarray(kept.byteLength - rawBytes);
  const bareLineEnds = hasBareLineEnds(raw);
  const mail = bareLineEnds
    ? { ...parsed, warnings: [...parsed.warnings, BARE_LINE_ENDS] }
    : parsed;
  return { mail, rawDigest: digestOfRaw(raw), bareLineEnds };
}
