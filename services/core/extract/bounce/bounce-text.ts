/**
 * Bounces without a part for programs: recipients and reasons are in the text alone, as qmail, Exim,
 * Exchange and others write it. One reader knows what these forms have in common: a line with an
 * address, the lines below it with the reason, and a line above the returned email.
 */
import { namesOther } from './address-context.ts';
import { type BouncedRecipient, hasCode, recipientOf } from './bounced-recipient.ts';
import {
  DELAYED,
  type Entry,
  FAILED,
  firstCoded,
  folded,
  isEntryCoded,
  isSeparator,
  reasonsOf,
} from './bounce-reasons.ts';

const TEXT_MAX_CHARS = 64 * 1024;
const LINE_MAX_CHARS = 1_000;
const MAX_LINES = 1_000;

type WrittenBounce = {
  /** What the server writes, by line. */
  lines: string[];
  /** The returned email, or as much of it as there is; empty without one. */
  original: string;
};

/** Lines above a returned email. */
const RETURNED = new RegExp(
  '^(below this line is a copy|this is a copy of|' +
    'original (message|e-?mail)( follows| headers| ?--|:?$)|returned message|' +
    'the headers? of the original|below is a copy of|unsent message follows|' +
    'message headers? follows?|possibly truncated original|' +
    'included is a copy of|here is a copy of|returned message follows)',
  'i',
);
/** Such as `--- `, and `>` of a quotation. */
const RULE = /^[-=_*>\s]+/;
const FIRST_FIELD = /^(return-path|received|message-id): *\S/i;

/** Divides the text of a bounce into that of the server and the returned email. */
export function writtenBounce(text: string): WrittenBounce {
  const lines = text
    .slice(0, TEXT_MAX_CHARS)
    .split('\n', MAX_LINES)
    .map((line) => line.slice(0, LINE_MAX_CHARS).trimEnd());
  const rule = lines.findIndex((line) => RETURNED.test(line.replace(RULE, '')));
  const head = lines.findIndex((line) => FIRST_FIELD.test(line));
  if (rule === -1 && head === -1) return { lines, original: '' };
  const end = rule === -1 || (head !== -1 && head < rule) ? head : rule;
  const from = lines.findIndex(
    (line, index) => index >= end && /^[ \t>]*[\w-]+: *\S/.test(line) && index !== rule,
  );
  return {
    lines: lines.slice(0, end),
    original:
      from === -1
        ? ''
        : lines
            .slice(from)
            .map((line) => line.trimStart())
            .join('\n'),
  };
}

const ADDRESS = String.raw`[^\s<>()"',;:@\[\]=]{1,64}@[\p{L}\p{N}._-]{1,253}[\p{L}\p{N}]`;
const patterns = (...sources: string[]): RegExp[] =>
  sources.map((source) => new RegExp(source.replace('ADDRESS', ADDRESS), 'iu'));

/** Lines that begin what is said about a recipient. What follows the address belongs to the reason. */
const RECIPIENT_LINES = patterns(
  // <bob@example.net>: …   "bob@example.net":   - bob@example.net   <bob@example.net> (reason)
  String.raw`^\s*(?:[-*•]{1,2}\s+)?["'<]{0,2}(ADDRESS)["'>]{0,2}\s*(?=$|:|\(|\[|\.\.\.|,? on )`,
  // Bob (bob@example.net)   Bob<mailto:bob@example.net>
  String.raw`^[^@:<>()\d]{1,80}[(<]{1,2}(?:mailto:)?(ADDRESS)[)>]{1,2}\s*$`,
  String.raw`^\s*(?:recipient address|failed address|failed recipient|final recipient|` +
    String.raw`unknown user|invalid final delivery userid|user mailbox exceeds allowed size|` +
    String.raw`undeliverable to|recipient|address|delivery failed[\w ]{0,20}|user's mailbox is full|` +
    String.raw`the following recipients returned permanent errors)\s*(?::\s*)?<?(ADDRESS)`,
  // Zoho: [Status: Error, Address: <bob@example.net>, ResponseCode 421, …]
  String.raw`^\[status: [^<>]{0,80}<(ADDRESS)>`,
  String.raw`\b(?:delivered to|message to|delivery to|deliver to|mail to|rejected recipient)\s+` +
    String.raw`(?:the following \w+\s*(?::\s*)?)?<?(ADDRESS)`,
);
/** `bob@example.net Invalid Address, ERROR_CODE :550`: only with a code after it. */
const RECIPIENT_WITH_CODE = patterns(String.raw`^\s*["'<]?(ADDRESS)["'>]?\s+(?=\S)`);
/** Lines of the dialogue with a server, and of the header that Exchange repeats. */
const WEAK_LINES = patterns(
  String.raw`^[>\s]*rcpt to:\s*<?(ADDRESS)`,
  String.raw`^[<\s]*[45]\d\d[ -].*?<(ADDRESS)>`,
  String.raw`^\s*to:\s+["'<]?(ADDRESS)`,
);

const DIALOGUE = /^\s*(>>>|<<<|\.\.\. while talking)/;
type Correspondents = {
  /** Recipients that a header of the bounce names. */
  named: readonly string[];
  /** The only recipient of the returned email. */
  to: string | undefined;
  /** Who sent the returned email, in lower case. */
  senders: ReadonlySet<string>;
};

export function writtenRecipients(
  { lines }: WrittenBounce,
  { named, to, senders }: Correspondents,
): BouncedRecipient[] {
  const isDelay = lines.some((line) => DELAYED.test(line));
  if (!isDelay && named.length === 0 && !lines.some((line) => FAILED.test(line) || hasCode(line)))
    return [];
  const strong = strongEntries(lines, senders);
  const isNamed = strong.length === 0 && named.length > 0;
  const entries = strong.length > 0 || isNamed ? strong : entriesIn(lines, weakRecipient, senders);
  const written = isNamed ? named : entries.map(({ address }) => address);
  const addresses = written.length > 0 || to === undefined ? written : [to];
  const reasons = reasonsOf(lines, entries);
  const only = entries.length === 0 ? firstCoded(lines, 0, lines.length) : undefined;
  return [...new Map(addresses.map((address) => [folded(address), address]))].map(
    ([key, address]) =>
      recipientOf({
        address,
        action: isDelay ? 'delayed' : 'failed',
        status: undefined,
        diagnostic: reasons.get(key) ?? only,
      }),
  );
}

/** The sender is a failed recipient only where nobody else is, and by a code. */
function strongEntries(lines: readonly string[], senders: ReadonlySet<string>): Entry[] {
  const entries = entriesIn(lines, strongRecipient, senders);
  if (entries.length > 0 || senders.size === 0) return entries;
  const all = entriesIn(lines, strongRecipient, new Set());
  return all.filter((entry, index) => isEntryCoded(lines, entry, all[index + 1]));
}

type Found = { address: string; rest: string };

/** Within a paragraph, the address of its recipient may be repeated. */
function entriesIn(
  lines: readonly string[],
  read: (line: string) => Found | undefined,
  senders: ReadonlySet<string>,
): Entry[] {
  const entries: Entry[] = [];
  let paragraph = 0;
  for (const [at, line] of lines.entries()) {
    if (isSeparator(line)) paragraph = at;
    const found = failedIn(lines, at, read, senders);
    const last = entries.at(-1);
    const isRepeated =
      last && last.at >= paragraph && folded(last.address) === folded(found?.address ?? '');
    if (found && !isRepeated) entries.push({ ...found, at });
  }
  const coded = entries.map((entry, index) => isEntryCoded(lines, entry, entries[index + 1]));
  // Words before an address without a code, beside one with a code, say whom to ask, in any language.
  const failed = entries.filter(
    ({ at, address }, index) =>
      coded[index] === true || !coded.includes(true) || !hasWordsBefore(lines[at] ?? '', address),
  );
  const others = failed.filter(({ address }) => !/^postmaster@/i.test(address)); // whom to ask
  return others.length > 0 ? others : failed;
}

const hasWordsBefore = (line: string, address: string): boolean =>
  /\p{L}{3}/u.test(line.slice(0, line.indexOf(address)));

/** Undefined also for an address of somebody else. */
function failedIn(
  lines: readonly string[],
  at: number,
  read: (line: string) => Found | undefined,
  senders: ReadonlySet<string>,
): Found | undefined {
  const line = lines[at] ?? '';
  const found = read(line);
  if (found === undefined || senders.has(folded(found.address))) return undefined;
  const before = line.slice(0, line.indexOf(found.address));
  if (hasCode(found.rest) && !hasWordsBefore(line, found.address)) return found;
  return namesOther(lines, at, before, (one) => isAlone(one, read)) ? undefined : found;
}

/** An address without words before it. */
function isAlone(line: string, read: (line: string) => Found | undefined): boolean {
  const address = read(line)?.address;
  return address !== undefined && !hasWordsBefore(line, address);
}

function strongRecipient(line: string): Found | undefined {
  if (!line.includes('@') || DIALOGUE.test(line)) return undefined;
  const found = firstMatch(RECIPIENT_LINES, line);
  if (found) return found;
  const coded = firstMatch(RECIPIENT_WITH_CODE, line);
  return coded && hasCode(coded.rest) ? coded : undefined;
}

const weakRecipient = (line: string): Found | undefined =>
  line.includes('@') ? firstMatch(WEAK_LINES, line) : undefined;

function firstMatch(expressions: readonly RegExp[], line: string): Found | undefined {
  for (const expression of expressions) {
    const match = expression.exec(line);
    if (match?.[1] === undefined) continue;
    const after = line.slice(match.index + match[0].length);
    const rest = after.replace(/^[\s:>"')\],.-]+/, '');
    if (/^\s*[45]\d\d/.test(line)) return { address: match[1], rest: line.trim() };
    return { address: match[1], rest: withoutTime(rest) };
  }
  return undefined;
}

/** `on 11/21/2026 10:30 AM` is not a reason; brackets around a reason are left out. */
function withoutTime(rest: string): string {
  if (/^on /i.test(rest) && /\d:\d\d/.test(rest)) return '';
  return /^[([]/.test(rest) && /[)\]]$/.test(rest) ? rest.slice(1, -1) : rest;
}
