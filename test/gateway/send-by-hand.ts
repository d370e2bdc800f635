/** Sends emails line by line, to see each reply. */
import { dialogue } from '../support/smtp-play.ts';

export const rawMail = (text: string, bytes = 0) =>
  `Message-ID: <${text.replaceAll(' ', '-')}@sender.example>\r\n` +
  `Subject: ${text}\r\n\r\n${text}\r\n${`${'x'.repeat(98)}\r\n`.repeat(bytes / 100)}`;

/** Sends one email, after the bytes `first`; resolves with the last reply. */
export async function sendByHand(
  port: number,
  to: string,
  mail: string,
  first?: Buffer,
): Promise<string> {
  await using smtp = await dialogue(port, '127.0.0.1', first);
  for (const line of [
    'EHLO mx.sender.example',
    'MAIL FROM:<ann@sender.example>',
    `RCPT TO:<${to}>`,
    'DATA',
  ]) {
    const reply = await smtp.say(line);
    if (!/^[23]/.test(reply)) return reply;
  }
  return await smtp.say(Buffer.from(`${mail}.\r\n`));
}
