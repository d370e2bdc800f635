/**
 * The variables of expressions: what a filter may know about an email. Never its body. This file is
 * the definition: docs/filters.md lists the same names and types.
 */
import { proofOf } from '../mail/allowed-senders.ts';
import { authorOf } from '../mail/author.ts';
import { tlsVersionOf } from '../mail/received-headers.ts';
import type { WebhookPayload } from '../webhook/payload.ts';
import type { Budget } from './budget.ts';
import type { ContentFact, ContentFacts } from './content-facts.ts';
import { cutWarnings } from './cut-warnings.ts';
import { ExpressionError } from './fault.ts';
import {
  cut,
  isLong,
  type OnCut,
  onReadOf,
  SEEN_MAX,
  watched,
  headerMap,
} from './content-bounds.ts';
import type { SenderList, SenderLists } from './sender-list.ts';

/**
 * The part of a payload that expressions see. A payload that the gateway has just built has it, and
 * so does one that was read from storage.
 */
export type ExpressionFacts = Pick<
  WebhookPayload,
  | 'envelope'
  | 'headers'
  | 'spam'
  | 'virus'
  | 'authentication'
  | 'plus_tag'
  | 'reply'
  | 'auto_submitted'
  | 'is_bounce'
  | 'is_list'
  | 'signature'
  | 'encrypted'
> & {
  /** Absent in payloads of earlier releases. */
  recipient?: string | undefined;
  content: Pick<WebhookPayload['content'], 'size_bytes'> &
    Partial<Pick<WebhookPayload['content'], 'text' | 'html'>>;
  attachments: readonly Pick<
    WebhookPayload['attachments'][number],
    'filename' | 'content_type' | 'size_bytes'
  >[];
  metadata: Pick<WebhookPayload['metadata'], 'received_at'>;
  /** Added by rules before this expression; absent for none. */
  tags?: readonly string[] | undefined;
  /** The lists of the account that this email's expressions name; absent for none. */
  lists?: SenderLists | undefined;
  /** Absent where the content is not known. */
  contentFacts?: ContentFacts | undefined;
  /** The TLS version of the connection, such as `1.3`; if absent, our Received header says it. */
  tlsVersion?: string | undefined;
  /** Pays for the expressions of this recipient; absent where nothing is counted. */
  budget?: Budget | undefined;
  /** Absent where nobody has looked. */
  firstSeen?: FirstSeen | undefined;
};

/** `unknown`: DNS or MongoDB did not answer, so the sender should try again. */
export type FirstSeen = boolean | 'unknown';

const TIMESTAMP = 'google.protobuf.Timestamp';

export const ATTACHMENT_FIELDS = {
  filename: 'string',
  content_type: 'string',
  size_bytes: 'int',
} as const;

/** A text is a type of CEL; an object has a text for each of its fields. */
export const VARIABLES = {
  envelope: {
    mail_from: 'string',
    rcpt_to: 'list<string>',
    helo_domain: 'string',
    remote_ip: 'string',
  },
  recipient: 'string',
  plus_tag: 'string',
  reply: { status: 'string', reference: 'string', sender: 'string' },
  subject: 'string',
  from: { address: 'string', domain: 'string', text: 'string' },
  to: 'string',
  cc: 'string',
  message_id: 'string',
  date: TIMESTAMP,
  headers: 'map<string, string>',
  authentication: { spf: 'string', dkim: 'string', dmarc: 'string', arc: 'string' },
  spam: { score: 'double', verdict: 'string' },
  virus: { verdict: 'string', name: 'string' },
  size_bytes: 'int',
  attachments: 'list<Attachment>',
  auto_submitted: 'bool',
  is_bounce: 'bool',
  is_list: 'bool',
  signature: { kind: 'string', is_valid: 'bool' },
  encrypted: 'string',
  hidden_text: { present: 'bool' },
  links: { mismatched: 'bool' },
  forwarded: 'bool',
  first_seen: 'bool',
  tls: { version: 'string' },
  is_cut: 'bool',
  received_at: TIMESTAMP,
  sender: 'string',
  tags: 'list<string>',
  lists: 'map<string, SenderList>',
} as const satisfies Record<string, string | Record<string, string>>;

type ValueOf = {
  string: string;
  int: bigint;
  double: number;
  bool: boolean;
  [TIMESTAMP]: Date;
  'list<string>': readonly string[];
  'list<Attachment>': readonly object[];
  'map<string, string>': ReadonlyMap<string, string>;
  'map<string, SenderList>': ReadonlyMap<string, SenderList>;
};
type TypeOf<T> = T extends keyof ValueOf
  ? ValueOf[T]
  : { [K in keyof T]: T[K] extends keyof ValueOf ? ValueOf[T[K]] : never };

/** Values by name, each computed when an expression first reads it. */
export type Variables = { readonly [K in keyof typeof VARIABLES]: TypeOf<(typeof VARIABLES)[K]> };

/** The library recognizes the type by its constructor. */
export function Attachment(): void {
  // has fields only
}

/** `onCut` within a computation means that every read of the variable is one of what was cut. */
const COMPUTE: {
  [K in keyof Variables]: (facts: ExpressionFacts, onCut: OnCut, onRead: OnCut) => Variables[K];
} = {
  envelope: ({ envelope }, _, onRead) => {
    const { mail_from, helo_domain, remote_ip } = envelope;
    const rcpt_to = envelope.rcpt_to.slice(0, SEEN_MAX.recipients).map((one) => cut(one));
    const texts = watched({ mail_from, helo_domain }, onRead);
    const fields = Object.assign(texts, { rcpt_to, remote_ip });
    return envelope.rcpt_to.some(isLong) || envelope.rcpt_to.length > SEEN_MAX.recipients
      ? onReadOf(fields, 'rcpt_to', rcpt_to, onRead)
      : fields;
  },
  recipient: (facts, onCut) => cut(facts.recipient ?? '', onCut),
  plus_tag: (facts, onCut) => cut(facts.plus_tag, onCut),
  reply: ({ reply }) => ({
    status: reply?.status ?? 'none',
    reference: reply?.reference ?? '',
    sender: reply?.sender ?? '',
  }),
  subject: ({ headers }, onCut) => cut(headers.subject, onCut),
  from: ({ headers }, _, onRead) =>
    Object.assign(watched({ text: headers.from }, onRead), authorOf(headers)),
  to: ({ headers }, onCut) => cut(headers.to, onCut),
  cc: ({ headers }, onCut) => cut(headers.cc, onCut),
  message_id: ({ headers }, onCut) => cut(headers.message_id, onCut),
  date: (facts) => new Date(facts.headers.date ?? 0),
  headers: ({ headers }, _, onRead) => headerMap(headers.all, onRead),
  authentication: (facts) => ({
    spf: facts.spam.details.spf,
    dkim: facts.spam.details.dkim,
    dmarc: facts.spam.details.dmarc,
    arc: facts.authentication?.arc.result ?? 'none',
  }),
  spam: (facts) => ({ score: facts.spam.score, verdict: facts.spam.verdict }),
  virus: ({ virus }) => ({
    verdict: virus?.verdict ?? 'not_scanned',
    name: virus?.name ?? '',
  }),
  size_bytes: (facts) => BigInt(facts.content.size_bytes),
  attachments: ({ attachments }, onCut, onRead) => {
    if (attachments.length > SEEN_MAX.attachments) onCut();
    return attachments.slice(0, SEEN_MAX.attachments).map((one) => attachmentOf(one, onRead));
  },
  auto_submitted: (facts) => facts.auto_submitted,
  is_bounce: (facts) => facts.is_bounce,
  is_list: (facts) => facts.is_list,
  signature: ({ signature }) => ({
    kind: signature?.kind ?? 'none',
    is_valid: signature?.is_valid === true,
  }),
  encrypted: (facts) => facts.encrypted ?? 'none',
  hidden_text: (facts, onCut) => ({ present: found(facts, 'hiddenText', onCut) }),
  links: (facts, onCut) => ({ mismatched: found(facts, 'mismatchedLinks', onCut) }),
  forwarded: (facts, onCut) => found(facts, 'forwarded', onCut),
  first_seen: ({ firstSeen }) => {
    if (typeof firstSeen === 'boolean') return firstSeen;
    const message =
      firstSeen === 'unknown'
        ? 'first_seen is not known: DNS or the database did not answer'
        : 'first_seen is known only when the email arrives';
    throw new ExpressionError({ message, position: 0 });
  },
  tls: ({ tlsVersion, headers }) => ({ version: tlsVersion ?? tlsVersionOf(headers.all) }),
  is_cut: (facts) => cutWarnings(facts).length > 0,
  received_at: (facts) => new Date(facts.metadata.received_at),
  sender: (facts) => {
    const author = authorOf(facts.headers);
    const proof = proofOf(author, facts.authentication);
    if (proof === 'later')
      throw new ExpressionError({
        message: 'sender is not known: DNS did not answer, so nobody could authenticate it',
        position: 0,
      });
    return proof === 'proven' ? author.address : '';
  },
  tags: (facts) => facts.tags ?? [],
  lists: (facts) => facts.lists ?? NO_LISTS,
};

const NO_LISTS: SenderLists = new Map();

/** Read from the content of an email when they are named. */
export const CONTENT_VARIABLES = ['hidden_text', 'links', 'forwarded'] as const;

/** None in a part of an email is not sure. The first account that asks does not pay for all. */
function found(
  { contentFacts, budget }: ExpressionFacts,
  name: keyof ContentFacts,
  onCut: OnCut,
): boolean {
  if (contentFacts === undefined)
    throw new ExpressionError({ message: 'The content of the email is not known', position: 0 });
  const read = (): ContentFact => contentFacts[name]();
  const fact = budget ? budget.exempt(read) : read();
  if (!fact.isSure) onCut();
  return fact.isFound;
}

/** Whether one of these variables has no value now, and may have one when the sender tries again. */
export const mayBeKnownLater = (reads: readonly string[], facts: ExpressionFacts): boolean =>
  (reads.includes('sender') &&
    proofOf(authorOf(facts.headers), facts.authentication) === 'later') ||
  (reads.includes('first_seen') && facts.firstSeen === 'unknown');

type State = {
  facts: ExpressionFacts;
  known: Partial<Record<keyof Variables, unknown>>;
  /** Variables of which every read is one of what was cut. */
  cut: Set<keyof Variables>;
  hasReadCut: boolean;
};

/** A getter for each variable, which computes it once for each email. */
const GETTERS: object = Object.defineProperties(
  {},
  Object.fromEntries(
    (Object.keys(COMPUTE) as (keyof Variables)[]).map((name) => [
      name,
      {
        get(this: State) {
          const onCut = () => void this.cut.add(name);
          const onRead = () => void (this.hasReadCut = true);
          const value = (this.known[name] ??= COMPUTE[name](this.facts, onCut, onRead));
          if (this.cut.has(name)) this.hasReadCut = true;
          return value;
        },
      },
    ]),
  ),
);

/** Computes nothing until an expression reads a variable. */
export const variablesOf = (facts: ExpressionFacts): Variables =>
  Object.assign(Object.create(GETTERS) as Variables, {
    facts,
    known: {},
    cut: new Set(),
    hasReadCut: false,
  } satisfies State);

/** Whether an expression has read it; otherwise it may be costly to know. */
export const isKnown = (variables: Variables, name: keyof Variables): boolean =>
  Object.hasOwn((variables as unknown as State).known, name);

/** Whether an expression has read something that was cut since the last call. */
export function takeCutReads(variables: Variables): boolean {
  const state = variables as unknown as State;
  const { hasReadCut } = state;
  state.hasReadCut = false;
  return hasReadCut;
}

function attachmentOf(part: ExpressionFacts['attachments'][number], onRead: OnCut): object {
  const { filename, content_type, size_bytes } = part;
  const texts = watched({ filename, content_type: content_type.toLowerCase() }, onRead);
  return Object.defineProperties(Object.create(Attachment.prototype as object) as object, {
    ...Object.getOwnPropertyDescriptors(texts),
    size_bytes: { value: BigInt(size_bytes), enumerable: true },
  });
}
