/**
 * Reads the XML of a report into elements. Declarations are skipped, so entities of a document's own
 * are neither loaded nor expanded; depth and number of elements are bounded.
 */
import { Parser } from 'htmlparser2';

export type XmlElement = {
  /** Without the prefix of its namespace. */
  name: string;
  text: string;
  /** Complete ones, in their order. */
  children: XmlElement[];
};

const MAX_DEPTH = 32;
/** Some 1,000 records. */
const MAX_ELEMENTS = 40_000;
const STEP_CHARS = 64 * 1024;
/** What takes the longest to read takes 50 ms for each million. */
const READ_MAX_CHARS = 2 * 1024 * 1024;
/** So much of an element's text is kept. Functions that read values cut them further. */
const TEXT_ENOUGH_CHARS = 2_000;

/**
 * The root element; undefined for a text that is not XML or ends before its root does. Of a text
 * with more characters or elements than the limits, the root has the beginning alone.
 */
export function readXml(text: string): XmlElement | undefined {
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  let elements = 0;
  let isTooDeep = false;
  let isComplete = false;
  const parser = new Parser(
    {
      onopentag: (name) => {
        const element = { name: name.slice(name.indexOf(':') + 1), text: '', children: [] };
        elements++;
        isTooDeep ||= open.length >= MAX_DEPTH;
        root ??= element;
        open.push(element);
      },
      ontext: (piece) => {
        const element = open.at(-1);
        if (element && element.text.length < TEXT_ENOUGH_CHARS) element.text += piece;
      },
      onclosetag: (_, isImplied) => {
        const element = open.pop();
        if (element) open.at(-1)?.children.push(element);
        isComplete ||= element === root && !isImplied;
      },
    },
    { xmlMode: true },
  );
  for (let at = 0; at < text.length && !isTooDeep && !isComplete; at += STEP_CHARS) {
    if (elements > MAX_ELEMENTS || at >= READ_MAX_CHARS) return root;
    parser.write(text.slice(at, at + STEP_CHARS));
  }
  return isComplete && !isTooDeep ? root : undefined;
}

export const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((child) => child.name === name);

export const childrenOf = (element: XmlElement | undefined, name: string): XmlElement[] =>
  element?.children.filter((child) => child.name === name) ?? [];
