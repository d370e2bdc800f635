/** Text that strangers wrote, without characters that could make it look like something else. */

/** Controls, marks that reorder text (Unicode TR 9), and characters without a width. */
const DECEPTIVE = /[^\P{C}\n\t\u00ad\u200c\u200d]/gu;

/** Each such character becomes a visible mark. Use it for names, subjects, responses and the like. */
export const plain = (text: string): string =>
  text.replaceAll('\r\n', '\n').replaceAll(DECEPTIVE, '\ufffd');

/** Controls, and marks that reorder other text. Languages need none of them within a line. */
const REORDERING = /[^\P{Cc}\n\r\t]|[\u202a-\u202e\u2066-\u2069]/gu;

/** Each such character becomes its code. In JSON, the code means the same character. */
export const escaped = (text: string): string =>
  text.replaceAll(
    REORDERING,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
