/**
 * The words of an email's text, for the search (D240). A gateway collects them once for all
 * receivers (core/html/visible-words.ts), and the event carries them to the delivery record, which forgets them
 * after a time.
 */
import { z } from 'zod';

/** As the event of an email carries them. */
export const TextWords = z.object({
  /** Base64url of the words in UTF-8, separated by blanks: headers of messages are ASCII. */
  packed: z.string(),
  /** When the record forgets them, milliseconds since 1970. */
  until_ms: z.int(),
});
export type TextWords = z.infer<typeof TextWords>;

/** More than the different words of 64 KB of ordinary text. Each is an entry in an index. */
export const TEXT_WORDS_MAX = 3_000;
/** Base64 of this is half of the 64 KiB that the headers of a message may have. */
export const TEXT_WORDS_MAX_BYTES = 24 * 1024;

/** The first words that have room; undefined when there are none. */
export function packWords(
  words: readonly string[],
  maxBytes = TEXT_WORDS_MAX_BYTES,
): string | undefined {
  const packed: string[] = [];
  let bytes = 0;
  for (const word of words.slice(0, TEXT_WORDS_MAX)) {
    bytes += Buffer.byteLength(word) + 1;
    if (bytes > maxBytes) break;
    packed.push(word);
  }
  return packed.length === 0 ? undefined : Buffer.from(packed.join(' ')).toString('base64url');
}

export const unpackWords = (packed: string): string[] =>
  Buffer.from(packed, 'base64url').toString().split(' ');

/** The most bytes of an event, which leave room for the other headers of its message. */
const EVENT_MAX_CHARS = 60 * 1024;

/** As many of the words as fit into the event, whose other fields are these; undefined for none. */
export function fittingWords(words: TextWords, event: object): TextWords | undefined {
  const json = JSON.stringify(event);
  const escaped = json.match(/[\u007f-\uffff]/g)?.length ?? 0; // each is written as \uXXXX
  const room = EVENT_MAX_CHARS - json.length - 5 * escaped;
  if (words.packed.length <= room) return words;
  const packed = packWords(unpackWords(words.packed), (room * 3) / 4);
  return packed === undefined ? undefined : { ...words, packed };
}

/** The words, and when the record forgets them. */
export type SearchableText = { words: readonly string[]; until: Date };

export const searchableText = (text: TextWords | undefined): SearchableText | undefined =>
  text && { words: unpackWords(text.packed), until: new Date(text.until_ms) };
