/**
 * The variables of expressions: what a filter may know about an email. Never its body. This file is
 * the definition: docs/filters.md lists the same names and types.
 */
import { proofOf } from '../mail/allowed-senders.ts';
import { authorOf } from '../mail/author.ts';
import type { WebhookPayload } from '../webhook/payload.ts';
import { ExpressionError } from './fault.ts';
import type { SenderList, SenderLists } from './sender-list.ts';

/** Longer texts are cut, so that the cost of an expression has a bound. */
export const TEXT_MAX_CHARS = 1_000;
export const LIST_MAX = { attachments: 50, recipients: 100, headers: 200, tags: 100 } as const;

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
> & {
  content: Pick<WebhookPayload['content'], 'size_bytes'>;
  attachments: readonly Pick<
    WebhookPayload['attachments'][number],
    'filename' | 'content_type' | 'size_bytes'
  >[];
  metadata: Pick<WebhookPayload['metadata'], 'received_at'>;
  /** That rules before this expression have added; absent for none. */
  tags?: readonly string[] | undefined;
  /** The lists of the account that this email's expressions name; absent for none. */
  lists?: SenderLists | undefined;
};

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

const COMPUTE: { [K in keyof Variables]: (facts: ExpressionFacts) => Variables[K] } = {
  envelope: (facts) => ({
    mail_from: cut(facts.envelope.mail_from),
    rcpt_to: facts.envelope.rcpt_to.slice(0, LIST_MAX.recipients).map(cut),
    helo_domain: cut(facts.envelope.helo_domain),
    remote_ip: facts.envelope.remote_ip,
  }),
  plus_tag: (facts) => cut(facts.plus_tag),
  reply: ({ reply }) => ({
    status: reply?.status ?? 'none',
    reference: reply?.reference ?? '',
    sender: reply?.sender ?? '',
  }),
  subject: (facts) => cut(facts.headers.subject),
  from: (facts) => ({ ...authorOf(facts.headers), text: cut(facts.headers.from) }),
  to: (facts) => cut(facts.headers.to),
  cc: (facts) => cut(facts.headers.cc),
  message_id: (facts) => cut(facts.headers.message_id),
  date: (facts) => new Date(facts.headers.date ?? 0),
  headers: (facts) => headerMap(facts.headers.all),
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
  attachments: (facts) => facts.attachments.slice(0, LIST_MAX.attachments).map(attachmentOf),
  auto_submitted: (facts) => facts.auto_submitted,
  is_bounce: (facts) => facts.is_bounce,
  is_list: (facts) => facts.is_list,
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

/** Whether DNS must answer before `sender` has a value. */
export const senderIsUnknown = (facts: ExpressionFacts): boolean =>
  proofOf(authorOf(facts.headers), facts.authentication) === 'later';

type State = { facts: ExpressionFacts; known: Partial<Record<keyof Variables, unknown>> };

/** A getter for each variable, which computes it once for each email. */
const GETTERS: object = Object.defineProperties(
  {},
  Object.fromEntries(
    (Object.keys(COMPUTE) as (keyof Variables)[]).map((name) => [
      name,
      {
        get(this: State) {
          return (this.known[name] ??= COMPUTE[name](this.facts));
        },
      },
    ]),
  ),
);

/** Computes nothing until an expression reads a variable. */
export const variablesOf = (facts: ExpressionFacts): Variables =>
  Object.assign(Object.create(GETTERS) as Variables, { facts, known: {} } satisfies State);

/** What expressions do not see of this email, in words. */
export function cutWarnings({ headers, envelope, attachments }: ExpressionFacts): string[] {
  const texts = [headers.subject, headers.to, headers.cc, ...headers.all.map(({ value }) => value)];
  const found: [boolean, string][] = [
    [
      texts.some((text) => (text?.length ?? 0) > TEXT_MAX_CHARS),
      `Of a text, only the first ${TEXT_MAX_CHARS} characters are seen`,
    ],
    [
      new Set(headers.all.map(({ name }) => name.toLowerCase())).size > LIST_MAX.headers,
      `Only the first ${LIST_MAX.headers} names of headers are seen`,
    ],
    [
      attachments.length > LIST_MAX.attachments,
      `Only the first ${LIST_MAX.attachments} attachments are seen`,
    ],
    [
      envelope.rcpt_to.length > LIST_MAX.recipients,
      `Only the first ${LIST_MAX.recipients} recipients are seen`,
    ],
  ];
  return found.filter(([applies]) => applies).map(([, warning]) => warning);
}

const cut = (text: string | null): string => text?.slice(0, TEXT_MAX_CHARS) ?? '';

function attachmentOf(part: ExpressionFacts['attachments'][number]): object {
  return Object.assign(Object.create(Attachment.prototype as object) as object, {
    filename: cut(part.filename),
    content_type: cut(part.content_type).toLowerCase(),
    size_bytes: BigInt(part.size_bytes),
  });
}

/** Names in lower case; the values of a repeated header are lines. */
function headerMap(all: ExpressionFacts['headers']['all']): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const { name, value } of all) {
    const key = cut(name).toLowerCase();
    const before = map.get(key);
    if (before === undefined && map.size >= LIST_MAX.headers) continue;
    if (before === undefined || before.length < TEXT_MAX_CHARS)
      map.set(key, cut(before === undefined ? value : `${before}\n${value}`));
  }
  return map;
}
