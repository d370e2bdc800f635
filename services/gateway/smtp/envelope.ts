/**
 * The addresses of a transaction as the client sent them: smtp-server shows every domain in
 * Unicode.
 */
import { isAscii } from 'node:buffer';
import type { SMTPServerSession } from 'smtp-server';

import { asciiDomain } from '../../core/mail/fields/email-address.ts';
import { needsSmtpUtf8, pathTooLong, SmtpRefusal } from '../../core/smtp/smtp-reply.ts';

const MAX_PATH_CHARS = 320;

/** The address of MAIL FROM; empty for a bounce. */
export const senderOf = ({ envelope: { mailFrom, smtpUtf8 } }: SMTPServerSession): string =>
  mailFrom === false ? '' : asSent(mailFrom.address, !smtpUtf8);

/** The path of a line of MAIL, as the client sent it. */
export const pathIn = (line: Buffer): string => /<([^<>]*)>/.exec(line.toString())?.[1] ?? '';

/**
 * smtp-server turns A-labels into U-labels. A client that sent ASCII sent A-labels (RFC 6531 §3.2),
 * so this turns them back. A domain that is not a host name stays as the library shows it.
 */
export function asSent(address: string, wasAscii: boolean): string {
  if (!wasAscii || isAscii(Buffer.from(address))) return address;
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  return `${address.slice(0, at)}@${asciiDomain(domain) ?? domain}`;
}

/**
 * The address of a MAIL or RCPT command, as the client sent it.
 * @throws SmtpRefusal
 */
export function sentPath(
  address: string,
  command: Buffer,
  { envelope: { smtpUtf8 } }: SMTPServerSession,
): string {
  const isAsciiLine = isAscii(command);
  if (!isAsciiLine && !smtpUtf8) throw new SmtpRefusal(needsSmtpUtf8);
  if (address.length > MAX_PATH_CHARS) throw new SmtpRefusal(pathTooLong);
  return asSent(address, isAsciiLine);
}
