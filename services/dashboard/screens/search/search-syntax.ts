/**
 * The search as one line of text, such as `from:ann status:failed march invoice`. Words without a
 * field are words of the subject; one with an @ is a sender. The id of an email leads to it.
 */
import type { SearchProblem } from '../../strings/mail/mail.ts';

export const SEARCH_FIELDS = [
  'sender',
  'recipient',
  'subject',
  'text',
  'verdict',
  'tag',
  'thread',
  'has',
] as const;
type SearchField = (typeof SEARCH_FIELDS)[number];
type TextField = Exclude<SearchField, 'has'>;
/** Absent fields are not searched. */
export type Search = Partial<Record<TextField, string>> & { has?: 'attachment' };

const STATUSES = [
  'delivered',
  'waiting',
  'retrying',
  'failed',
  'pending',
  'held',
  'dropped',
] as const;
type SearchedStatus = (typeof STATUSES)[number];

export type ReadSearch = {
  search: Search;
  status?: SearchedStatus;
  addressId?: string;
  /** An email or an address that the text names: the search is a way to it. */
  opens?: string;
  problem?: SearchProblem;
};

/** Fields that have another name in the line. */
const NAME_OF: Partial<Record<SearchField, string>> = { sender: 'from', recipient: 'to' };
const nameOf = (field: SearchField): string => NAME_OF[field] ?? field;
/** Results that a search can name, as `VERDICTS` of core/delivery/search-terms.ts. */
const SPF = 'fail|softfail|neutral|temperror|permerror';
const DKIM = 'fail|policy|neutral|temperror|permerror';
const DMARC = 'fail|temperror|permerror';
const VERDICT = new RegExp(`^(spam|spf=(${SPF})|dkim=(${DKIM})|dmarc=(${DMARC}))$`);
const VALUES: Partial<Record<SearchField, RegExp>> = {
  tag: /^[a-z0-9][a-z0-9_-]{0,31}$/,
  thread: /^thr_\w+$/,
};
const PART = /(?:([a-z_]{2,}):(?!\/\/))?(?:"([^"]*)"|(\S+))/gi;
const EVENT_ID = /(?<!\w)(evt_[0-9a-z]{26})(?![0-9a-z])/;
const ADDRESS_ID = /^\s*(addr_[0-9a-z]{26})\s*$/;
const WORD = /[\p{L}\p{N}]{2}|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u;

export function readSearch(text: string): ReadSearch {
  const eventId = EVENT_ID.exec(text)?.[1];
  if (eventId !== undefined) return { search: {}, opens: `/mail/${eventId}` };
  const addressId = ADDRESS_ID.exec(text)?.[1];
  if (addressId !== undefined) return { search: {}, opens: `/addresses/${addressId}` };
  const found: ReadSearch = { search: {} };
  for (const [, name = '', quoted, bare] of text.matchAll(PART)) {
    const value = (quoted ?? bare ?? '').trim();
    const problem = value === '' ? undefined : readPart(found, name.toLowerCase(), value);
    if (problem) return { search: {}, problem };
  }
  return found;
}

function readPart(found: ReadSearch, name: string, value: string): SearchProblem | undefined {
  const lower = value.toLowerCase();
  if (name === 'status' || name === 'is') {
    const status = STATUSES.find((one) => one === lower);
    if (status !== undefined) return void (found.status = status);
  }
  if (name === 'has') {
    if (!/^(attachments?|files?)$/.test(lower))
      return { kind: 'unknown_value', field: name, value };
    return void (found.search.has = 'attachment');
  }
  const field =
    name === 'is'
      ? 'verdict'
      : name === ''
        ? value.includes('@')
          ? 'sender'
          : 'subject'
        : SEARCH_FIELDS.find((one): one is TextField => one !== 'has' && nameOf(one) === name);
  if (name === 'status') return { kind: 'unknown_value', field: name, value };
  if (field === undefined) return { kind: 'unknown_field', field: name };
  const shown = field === 'verdict' || field === 'tag' || field === 'thread' ? lower : value;
  const isKnown =
    field === 'verdict'
      ? shown.split(',').every((one) => VERDICT.test(one))
      : (VALUES[field]?.test(shown) ?? true);
  if (!isKnown) return { kind: 'unknown_value', field: name, value };
  if ((field === 'subject' || field === 'text') && !WORD.test(value)) return { kind: 'no_words' };
  const before = found.search[field];
  const separator = field === 'verdict' ? ',' : ' ';
  found.search[field] = before === undefined ? shown : `${before}${separator}${shown}`;
  return undefined;
}

/** The line that {@link readSearch} reads as these fields. */
export const writeSearch = ({ subject, ...search }: Search): string =>
  [
    ...SEARCH_FIELDS.flatMap((field) => {
      const value = field !== 'subject' && search[field];
      return value ? `${nameOf(field)}:${quotedIfSpaced(value)}` : [];
    }),
    ...(subject ? [wordsOf(subject)] : []),
  ].join(' ');

/**
 * The same search for words that begin with those of this one; undefined when no word can be
 * shorter. A beginning has three letters or more.
 */
export function withBeginnings<Wider extends Search>(search: Wider): Wider | undefined {
  const changed = Object.fromEntries(
    (['subject', 'text', 'sender', 'recipient'] as const).flatMap((field) => {
      const value = search[field];
      if (value === undefined || value.includes('@') || value.includes('.')) return [];
      return [[field, value.replaceAll(/[\p{L}\p{N}]{3,}(?=\s|$)/gu, '$&*')]];
    }),
  );
  const isChanged = Object.entries(changed).some(
    ([field, value]) => search[field as SearchField] !== value,
  );
  return isChanged ? { ...search, ...changed } : undefined;
}

const quotedIfSpaced = (text: string): string => (/\s/.test(text) ? `"${text}"` : text);

/** Words that would be read as another field are written with theirs. */
const wordsOf = (subject: string): string =>
  readSearch(subject).search.subject === subject
    ? subject
    : `subject:"${subject.replaceAll('"', '')}"`;
