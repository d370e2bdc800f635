/**
 * The search as one line of text, such as `from:ann to:orders verdict:spam march invoice`. Words
 * without a field are words of the subject; one with an @ is a sender.
 */
export const SEARCH_FIELDS = [
  'sender',
  'recipient',
  'subject',
  'verdict',
  'tag',
  'thread',
] as const;
type SearchField = (typeof SEARCH_FIELDS)[number];
/** Absent fields are not searched. */
export type Search = Partial<Record<SearchField, string>>;

const FIELD_OF: Record<string, SearchField> = {
  from: 'sender',
  to: 'recipient',
  subject: 'subject',
  verdict: 'verdict',
  is: 'verdict',
  tag: 'tag',
  thread: 'thread',
};
const PART = /(?:(from|to|subject|verdict|is|tag|thread):)?(?:"([^"]*)"|(\S+))/gi;

export function readSearch(text: string): Search {
  const found: Search = {};
  for (const [, name, quoted, plain] of text.matchAll(PART)) {
    const value = (quoted ?? plain ?? '').trim();
    if (value === '') continue;
    const field =
      FIELD_OF[name?.toLowerCase() ?? ''] ?? (value.includes('@') ? 'sender' : 'subject');
    const before = found[field];
    const separator = field === 'verdict' ? ',' : ' ';
    found[field] = before === undefined ? value : `${before}${separator}${value}`;
  }
  return found;
}

/** The line that {@link readSearch} reads as these fields. */
export function writeSearch({ sender, recipient, subject, verdict, tag, thread }: Search): string {
  const parts = [
    sender && `from:${quotedIfSpaced(sender)}`,
    recipient && `to:${quotedIfSpaced(recipient)}`,
    verdict && `verdict:${verdict}`,
    tag && `tag:${tag}`,
    thread && `thread:${thread}`,
    subject && wordsOf(subject),
  ];
  return parts.filter(Boolean).join(' ');
}

const quotedIfSpaced = (text: string): string => (/\s/.test(text) ? `"${text}"` : text);

/** A word that would be read as another field is written with its field. */
const wordsOf = (subject: string): string =>
  readSearch(subject).subject === subject ? subject : `subject:"${subject.replaceAll('"', '')}"`;
