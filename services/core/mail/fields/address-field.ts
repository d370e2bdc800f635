/**
 * Reads and writes fields of addresses: From, Sender, Reply-To, To, Cc and Bcc, by the grammar of
 * RFC 5322 §3.4 with its obsolete forms (§4.4) and groups (RFC 6854). DMARC judges the authors that
 * this reader finds, and everything that Inlet shows or compares is written from them (D120).
 */
import { type Token, tokensOf } from './address-tokens.ts';
import { asciiDomain } from './email-address.ts';

/** `address` is empty for a name alone. */
export type Mailbox = { name: string; address: string };
type Group = { name: string; members: Mailbox[] };

export type AddressField = {
  entries: (Mailbox | Group)[];
  /** Mailboxes with an address, groups included, in their order. */
  mailboxes: Mailbox[];
  /**
   * Other programs may read other addresses. `mailboxes` then has every text that can be taken for
   * one.
   */
  isUnclear: boolean;
};

/** @param decode encoded words of a name, after it was taken from the field (RFC 2047 §6.1) */
export function readAddressField(
  field: string,
  decode: (name: string) => string = (name) => name,
): AddressField {
  const value = field.replace(/\r?\n(?=[ \t])/g, ''); // RFC 5322 §2.2.3
  const { tokens, isFaulty } = tokensOf(value);
  const reading = entriesOf(tokens, decode);
  const entries = reading.entries;
  const found = mailboxesOf(entries);
  let isUnclear = reading.isUnclear || value.includes('\0'); // to some, the field ends there
  if (isFaulty || reading.isFaulty) {
    const known = new Set(found.map(({ address }) => comparable(address)));
    const { addresses, isBroken } = candidatesIn(value);
    const others = addresses.filter((address) => !known.has(comparable(address)));
    isUnclear ||= isBroken || others.length > 0;
    const missing = new Map(others.map((address) => [comparable(address), address]));
    for (const address of missing.values()) entries.push({ name: '', address });
  }
  return { entries, mailboxes: mailboxesOf(entries), isUnclear };
}

const mailboxesOf = (entries: AddressField['entries']): Mailbox[] =>
  entries
    .flatMap((entry) => ('members' in entry ? entry.members : [entry]))
    .filter(({ address }) => address !== '');

type Reading = Pick<AddressField, 'entries' | 'isUnclear'> & { isFaulty: boolean };

/** What stands between two separators. */
type Piece = {
  words: Token[];
  /** The content of angle brackets, from the last `<` on. */
  angle: Token[] | undefined;
  isInAngle: boolean;
  /** A comment behind everything else. */
  comment: string;
};

const newPiece = (): Piece => ({ words: [], angle: undefined, isInAngle: false, comment: '' });

function entriesOf(tokens: readonly Token[], decode: (name: string) => string): Reading {
  const reading: Reading = { entries: [], isUnclear: false, isFaulty: false };
  let group: Group | undefined;
  let piece = newPiece();
  let isCut = false; // a bracket without its partner stands before the next word
  const endPiece = () => {
    const mailbox = mailboxOf(piece, reading, decode);
    if (mailbox?.address === '' && mailbox.name.includes('@')) reading.isUnclear = true;
    if (mailbox) (group?.members ?? reading.entries).push(mailbox);
    piece = newPiece();
  };
  const closers = new Set(closedAngles(tokens));
  for (const [at, token] of tokens.entries()) {
    const special = token.kind === 'special' ? token.text : '';
    if (piece.isInAngle && special !== '>') piece.angle?.push(token);
    else if (token.kind === 'comment') piece.comment = token.text;
    else if (special === '<' && closers.has(at)) {
      if (piece.angle) reading.isFaulty = true;
      Object.assign(piece, { angle: [], isInAngle: true });
    } else if (special === '>' && piece.isInAngle) piece.isInAngle = false;
    else if (special === '<' || special === '>') reading.isFaulty = isCut = true;
    else if (special === ',') endPiece();
    else if (special === ';') {
      endPiece();
      group = undefined;
    } else if (special === ':') {
      const isName = piece.words.length > 0 && !piece.angle && !group && !piece.words.some(isAt);
      if (!isName) reading.isFaulty = true;
      if (group === undefined) {
        group = { name: nameOf(piece.words, decode), members: [] };
        reading.entries.push(group);
        piece = newPiece();
      }
    } else {
      if (piece.angle) reading.isFaulty = true; // text behind the brackets
      piece.words.push(isCut ? { ...token, isApart: true } : token);
      piece.comment = '';
      isCut = false;
    }
  }
  endPiece();
  return reading;
}

/** The `<` that a `>` follows before the next `<`. */
function closedAngles(tokens: readonly Token[]): number[] {
  const closed: number[] = [];
  let open: number | undefined;
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind !== 'special') continue;
    if (text === '<') open = at;
    else if (text === '>' && open !== undefined) {
      closed.push(open);
      open = undefined;
    }
  }
  return closed;
}

const isAt = ({ kind, text }: Token): boolean => kind === 'special' && text === '@';

function mailboxOf(
  { words, angle, comment }: Piece,
  reading: Reading,
  decode: (name: string) => string,
): Mailbox | undefined {
  const inside = angle?.filter(({ kind }) => kind !== 'comment');
  const written = inside ? withoutRoute(inside) : words;
  if (inside && written !== inside) reading.isUnclear = true; // some read an address in the route
  const beside = angle ? words : [];
  if (written.length === 0 && beside.length === 0) return undefined;
  if (!angle && !words.some(isAt)) return { name: nameOf(words, decode), address: '' };
  const address = addrSpec(written, reading);
  if (address !== '') return { name: angle ? nameOf(words, decode) : decode(comment), address };
  reading.isFaulty = true;
  const at = written.findIndex(isAt);
  const [local, domain] = [written[at - 1], written[at + 1]];
  const isOne = at !== -1 && !written.slice(at + 1).some(isAt);
  if (isOne && local?.kind === 'atom' && domain?.kind === 'atom') {
    const others = written.filter((_, index) => Math.abs(index - at) > 1);
    const name = nameOf([...beside, ...others], decode);
    return { name, address: `${local.text}@${withoutDot(domain.text)}` };
  }
  return { name: nameOf([...beside, ...written], decode), address: '' };
}

/** RFC 5322 §4.4: `<@relay.example,@other.example:ann@a.example>` */
function withoutRoute(tokens: Token[]): Token[] {
  const end = tokens.findIndex(({ kind, text }) => kind === 'special' && text === ':');
  return end !== -1 && tokens[0] !== undefined && isAt(tokens[0]) ? tokens.slice(end + 1) : tokens;
}

/** Characters for which programs disagree where a quoted local part ends. */
const MISREAD_IN_QUOTES = /[<>()[\]:;@\\,"]|\p{Cc}/u;
const ATEXT = /^[^\s\p{Cc}\ufeff()<>[\]:;@\\,"]+$/u;
const DOT_ATOM = /^[^.]+(?:\.[^.]+)*$/;

/** The address of a mailbox, as it is written in the shortest form; empty for any other text. */
function addrSpec(tokens: readonly Token[], reading: Reading): string {
  const at = tokens.findIndex(isAt);
  const [local, domain] = [tokens.slice(0, at), tokens.slice(at + 1)];
  const isDomain =
    (domain.length === 1 && domain[0]?.kind === 'literal') ||
    (domain.length > 0 && domain.every(({ kind }) => kind === 'atom') && areJoined(domain));
  const isLocal =
    local.length > 0 &&
    areJoined(local) &&
    local.every(
      ({ kind, text }) =>
        kind === 'atom' || kind === 'quoted' || (kind === 'encoded' && ATEXT.test(text)),
    );
  if (domain.length > 1 && !areJoined(domain)) reading.isUnclear = true; // to some, it goes on
  if (at === -1 || !isDomain || !isLocal) return '';
  const content = local.map(({ text }) => text).join('');
  const isQuoted = local.some(({ kind }) => kind === 'quoted');
  if (isQuoted && MISREAD_IN_QUOTES.test(content)) reading.isUnclear = true;
  if (content.includes('=?')) reading.isUnclear = true; // some decode encoded words first
  const host = domain
    .map(({ text }) => text)
    .join('')
    .replace(/\.$/, ''); // no dot ends a domain
  if (domain[0]?.kind === 'atom' && asciiDomain(host) === undefined) reading.isUnclear = true;
  const needsQuotes = isQuoted && !(ATEXT.test(content) && DOT_ATOM.test(content));
  return `${needsQuotes ? quoted(content) : content}@${host}`;
}

/** A dot at the end of a domain means nothing, and readers stumble over it. */
const withoutDot = (domain: string): string => domain.replace(/\.$/, '');

/** Words of an address follow each other with a dot between them (RFC 5322 §4.4). */
const areJoined = (tokens: readonly Token[]): boolean =>
  tokens.every(
    (token, index) =>
      index === 0 ||
      (token.kind !== 'quoted' && token.text.startsWith('.')) ||
      (tokens[index - 1]?.kind !== 'quoted' && tokens[index - 1]?.text.endsWith('.') === true),
  );

function nameOf(words: readonly Token[], decode: (name: string) => string): string {
  const text = words.map(({ text: word, isApart }, i) => (isApart && i > 0 ? ` ${word}` : word));
  return decode(text.join('')).trim();
}

/** Everything in a field that some program could take for an address. */
function candidatesIn(value: string): { addresses: string[]; isBroken: boolean } {
  const addresses: string[] = [];
  let isBroken = false;
  for (const { 0: run, index } of value.matchAll(/[^\s\p{Cc}\ufeff()<>[\]:;\\,"]+/gu)) {
    const [local = '', domain = '', ...more] = run.split('@');
    if (local !== '' && domain !== '' && more.length === 0) {
      addresses.push(run);
      // a domain that white space cuts: to some programs it goes on
      isBroken ||= /^\s+[^\s<>(),;]/u.test(value.slice(index + run.length, index + run.length + 9));
      // a control character that touches it: to some, it is part of it, or ends it
      isBroken ||= [value[index - 1], value[index + run.length]].some(isControl);
    } else if (run.includes('@')) isBroken = true;
  }
  return { addresses, isBroken };
}

const isControl = (char = ''): boolean => /[^\P{Cc}\t\r\n]/u.test(char);

/** One spelling, by which two readings of an address are compared. */
const comparable = (address: string): string => {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}@${domainOf(address)}`.toLowerCase();
};

/** The domain in A-labels; unchanged when it is not a host name. */
export function domainOf(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return asciiDomain(domain.toLowerCase()) ?? domain.toLowerCase();
}

/** As RFC 5322 §3.4 writes it, in Unicode: a reader of addresses finds the same ones in it. */
export const writeAddresses = (entries: AddressField['entries']): string =>
  entries
    .map((entry) =>
      'members' in entry
        ? `${quoted(entry.name)}: ${entry.members.map(writeMailbox).join(', ')};`
        : writeMailbox(entry),
    )
    .join(', ');

function writeMailbox({ name, address }: Mailbox): string {
  if (name === '') return address;
  return address === '' ? quoted(name) : `${quoted(name)} <${address}>`;
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, String.raw`\$&`)}"`;
