/** Text that strangers wrote, without characters that could make it look like something else. */

/** Controls, marks that reorder text (Unicode TR 9), and characters without a width. */
const DECEPTIVE = /[^\P{C}\n\t\u00ad\u200c\u200d]/gu;

/** Each such character becomes a visible mark. Use it for names, subjects, responses and the like. */
export const plain = (text: string): string =>
  text.replaceAll('\r\n', '\n').replaceAll(DECEPTIVE, '\ufffd');
