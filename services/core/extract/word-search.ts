/**
 * Finds words of long lists in a text, by walking from character to character through a tree of all
 * of them. A regular expression of a thousand words takes V8 a quarter of a second to compile, and V8
 * drops the compiled form when it has not been used for a while.
 */

export type FoundWord<Kind> = { kind: Kind; text: string; start: number; end: number };

type WordSearch<Kind> = {
  /** In the order of their starts. Those of one kind do not overlap. */
  findAll(text: string): FoundWord<Kind>[];
  hasAny(text: string): boolean;
};

type Node<Kind> = {
  next: Map<number, Node<Kind>>;
  /** After `*`. */
  ended: Node<Kind> | undefined;
  /** The kinds of the words that end here. */
  kinds: Kind[];
};

/** Scripts that write words without spaces, or join them with particles. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Thai}]/u;
const ENDING_MAX_CHARS = 12;
const APOSTROPHES = "'’";

/**
 * @param lists words in lower case. `*` stands for any ending, so no letter follows it. Words of
 * scripts with spaces are found only as whole words. Of those of one kind that start at the same
 * place, the longest is found.
 */
export function createWordSearch<Kind extends string>(
  lists: Readonly<Record<Kind, readonly string[]>>,
): WordSearch<Kind> {
  const [spaced, unspaced] = [createNode<Kind>(), createNode<Kind>()];
  for (const [kind, words] of Object.entries(lists) as [Kind, readonly string[]][])
    for (const word of words) addWord(UNSPACED.test(word) ? unspaced : spaced, word, kind);

  /** @param found is told each word that starts at a place, and where it ends */
  const visit = (text: string, start: number, found: (kind: Kind, end: number) => void) => {
    const walk = (node: Node<Kind>, at: number, isWhole: boolean) => {
      if (node.kinds.length > 0 && !(isWhole && isLetter(text, at)))
        for (const kind of node.kinds) found(kind, at);
      const next = node.next.get(text.charCodeAt(at));
      if (next) walk(next, at + 1, isWhole);
      if (node.ended) walk(node.ended, endOfLetters(text, at), isWhole);
    };
    if (!isLetterOrNumber(text, start - 1)) walk(spaced, start, true);
    walk(unspaced, start, false);
  };

  return {
    findAll: (text) => {
      const words: FoundWord<Kind>[] = [];
      const ends = new Map<Kind, number>(); // of the last word of each kind
      for (let start = 0; start < text.length; start++) {
        const longest = new Map<Kind, number>();
        visit(text, start, (kind, end) => {
          if (start >= (ends.get(kind) ?? 0) && end > (longest.get(kind) ?? 0))
            longest.set(kind, end);
        });
        for (const [kind, end] of longest) {
          ends.set(kind, end);
          words.push({ kind, text: text.slice(start, end), start, end });
        }
      }
      return words;
    },
    hasAny: (text) => {
      let isFound = false;
      for (let start = 0; start < text.length && !isFound; start++)
        visit(text, start, () => {
          isFound = true;
        });
      return isFound;
    },
  };
}

const createNode = <Kind>(): Node<Kind> => ({ next: new Map(), ended: undefined, kinds: [] });

function addWord<Kind>(root: Node<Kind>, word: string, kind: Kind): void {
  let node = root;
  for (const sign of word.normalize('NFKC').split('')) {
    if (sign === '*') {
      node = node.ended ??= createNode();
      continue;
    }
    const codes = Array.from(APOSTROPHES.includes(sign) ? APOSTROPHES : sign, (one) =>
      one.charCodeAt(0),
    );
    const next = node.next.get(codes[0] as number) ?? createNode();
    for (const code of codes) node.next.set(code, next);
    node = next;
  }
  if (!node.kinds.includes(kind)) node.kinds.push(kind);
}

function endOfLetters(text: string, start: number): number {
  let at = start;
  while (at < start + ENDING_MAX_CHARS && isLetter(text, at)) at++;
  return at;
}

const [UNKNOWN, LETTER, NUMBER, OTHER] = [0, 1, 2, 3];
/** By UTF-16 code unit, filled as they occur. */
const CLASSES = new Uint8Array(0x1_0000);

function classAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (Number.isNaN(code)) return OTHER;
  if ((code & 0xf800) === 0xd800) {
    const isSecond = (code & 0xfc00) === 0xdc00 && at > 0;
    return classOf(String.fromCodePoint(text.codePointAt(isSecond ? at - 1 : at) as number));
  }
  if (CLASSES[code] === UNKNOWN) CLASSES[code] = classOf(String.fromCharCode(code));
  return CLASSES[code] as number;
}

const classOf = (sign: string): number =>
  /\p{L}/u.test(sign) ? LETTER : /\p{N}/u.test(sign) ? NUMBER : OTHER;

const isLetter = (text: string, at: number): boolean => classAt(text, at) === LETTER;
const isLetterOrNumber = (text: string, at: number): boolean => classAt(text, at) !== OTHER;
