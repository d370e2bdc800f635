/** The words of an email's text, for the search of those accounts that want it. */
import type { Recipient } from '../../core/address/recipient.ts';
import { packWords, TEXT_WORDS_MAX, type TextWords } from '../../core/mail/text-words.ts';
import { visibleWords } from '../../core/html/visible-words.ts';
import type { ParsedMail } from '../../core/webhook/payload.ts';
import type { ReceivedMail } from './received-mail.ts';

/** A text names its sender and its subject, too: with `redact`, a record has none of its words. */
export const searchesText = ({ search_bodies, redact = [] }: Recipient): boolean =>
  search_bodies === true && redact.length === 0;

/**
 * Undefined when no recipient wants them. An accepted email is delivered, whatever its content does
 * to what reads it.
 * @param searchedMs how long the text is searched; 0 for never
 */
export function textWordsOf(
  mail: ParsedMail,
  { recipients, receivedAt }: Pick<ReceivedMail, 'recipients' | 'receivedAt'>,
  searchedMs: number,
): TextWords | undefined {
  if (searchedMs === 0 || !recipients.some(({ recipient }) => searchesText(recipient)))
    return undefined;
  try {
    const packed = packWords(visibleWords(mail, TEXT_WORDS_MAX));
    return packed === undefined
      ? undefined
      : { packed, until_ms: receivedAt.getTime() + searchedMs };
  } catch {
    return undefined;
  }
}
