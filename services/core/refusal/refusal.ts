/**
 * A refusal: email for a mailbox of an account that Inlet did not accept. Equal ones of an hour
 * (mailbox, envelope sender, From, reason) are one record with a count (D316, docs/refusals.md).
 */
import type { Redactable } from '../address/content-settings.ts';
import type { Owned } from '../address/scope.ts';
import { searchKeys } from '../delivery/search-terms.ts';
import { idOfKey } from '../id/ids.ts';
import { wordsOf } from '../mail/authentication.ts';
import { asciiDomain, normaliseAddress } from '../mail/fields/email-address.ts';
import { withoutReplySignatures, withoutReplyTags } from '../reply/reply-address.ts';
import { cutText } from '../text/text.ts';
import { timestamp } from '../time/timestamp.ts';
import type { DecidedBy, RefusalReply, RefusedContent } from './decided-by.ts';
import type { RefusalView } from './refusal-view.ts';

export const HOUR_MS = 3_600_000;

/** Whose refusal it is: the account of the address, or that of the domain of an unknown mailbox. */
export type RefusalOwner = Owned & {
  address_id: string | null;
  /** Pattern of the address, or the domain after an `@`. */
  name: string;
  redact?: readonly Redactable[] | undefined;
};

/** One refusal, as the gateway knows it. */
export type RefusedOnce = {
  owner: RefusalOwner;
  command: 'rcpt' | 'data';
  reply: RefusalReply;
  /** The mailbox that the client named. */
  mailbox: string;
  /** Envelope sender; empty for a bounce. */
  sender: string;
  messageId?: string | undefined;
  remoteIp: string;
  heloDomain: string;
  /** Undefined before DATA, and where it was not read. */
  content?: RefusedContent | undefined;
  decidedBy?: DecidedBy | undefined;
};

/** Its first email describes it until it is written, then one of its last. */
export type Refusal = Owned &
  Omit<RefusalView, 'first_at' | 'last_at' | 'reply'> & {
    first_at: Date;
    last_at: Date;
    /** The domain of the mailbox. */
    domain: string;
    code: number;
    enhanced_code: string;
    reply: string;
    /** For the search; not shown. */
    terms: string[];
  };

/** The reason of the record that counts all further kinds of an hour. */
export const FURTHER = 'further';

const MAILBOX_MAX_CHARS = 320;
const TEXT_MAX_CHARS = 500;

/** What a record may say of the sender and the mailbox: no secret, and nothing that is redacted. */
export function kindOf({ owner, mailbox, sender, reply, content }: RefusedOnce) {
  const isAnonymous = owner.redact?.includes('from') === true;
  return {
    mailbox: normalised(withoutReplyTags(mailbox)),
    mail_from: isAnonymous ? '' : normalised(sender),
    /** Who is let in by a record is who it showed first. */
    from: isAnonymous ? null : text(content?.from),
    reason: reply.name,
  };
}

export type Kind = ReturnType<typeof kindOf>;

/** The kind that counts for all kinds of an hour for which there is no room. */
export const furtherKind = ({ name }: RefusalOwner): Kind => ({
  mailbox: name,
  mail_from: '',
  from: null,
  reason: FURTHER,
});

/** The same for every gateway, so that they write one record together. */
export function refusalId({ account_id, environment }: Owned, kind: Kind, now: Date): string {
  const { mailbox, mail_from, from, reason } = kind;
  const words = [account_id, environment, mailbox, mail_from, reason, ...(from ? [from] : [])];
  return idOfKey('rfs', hourOf(now), words.join('\n'));
}

export const hourOf = (time: Date): Date =>
  new Date(Math.floor(time.getTime() / HOUR_MS) * HOUR_MS);

/** A record of one refusal. */
export function refusalOf(once: RefusedOnce, kind: Kind, now: Date): Refusal {
  const { reply, content } = once;
  const { redact = [], name: _name, ...whose } = once.owner;
  const isFurther = kind.reason === FURTHER;
  const isAnonymous = isFurther || redact.includes('from');
  const authentication = content?.authentication;
  const described = {
    mail_from: kind.mail_from,
    from: kind.from,
    subject: isFurther || redact.includes('subject') ? null : text(content?.subject),
  };
  return {
    id: refusalId(whose, kind, now),
    ...whose,
    ...kind,
    ...described,
    first_at: now,
    last_at: now,
    count: 1,
    domain: domainOf(kind.mailbox),
    command: once.command,
    code: reply.code,
    enhanced_code: reply.enhanced,
    reply: reply.text,
    message_id: isAnonymous ? null : text(content?.messageId ?? once.messageId), // it often names the sender
    remote_ip: once.remoteIp,
    helo_domain: shown(once.heloDomain, MAILBOX_MAX_CHARS),
    remote_name: authentication?.iprev.name ?? null,
    authentication: authentication ? wordsOf(authentication) : null,
    decided_by: isFurther ? null : (once.decidedBy ?? null),
    terms: searchKeys({ ...described, recipients: [kind.mailbox] }, now).terms,
  };
}

export function refusalView({
  account_id: _account,
  domain: _domain,
  terms: _terms,
  code,
  enhanced_code,
  reply: text,
  ...shown
}: Refusal): RefusalView {
  return {
    ...shown,
    first_at: timestamp(shown.first_at),
    last_at: timestamp(shown.last_at),
    reply: { code, enhanced_code, text },
  };
}

/** Two records of one kind. The later one describes the email. */
export function together(one: Refusal, later: Refusal): Refusal {
  const count = one.count + later.count;
  return { ...later, first_at: one.first_at, count };
}

export const domainOf = (mailbox: string): string => {
  const domain = mailbox.slice(mailbox.lastIndexOf('@') + 1);
  return asciiDomain(domain) ?? domain.toLowerCase();
};

const normalised = (address: string): string =>
  shown(normaliseAddress(address) ?? address, MAILBOX_MAX_CHARS);

const text = (value: string | null | undefined): string | null =>
  value ? shown(value, TEXT_MAX_CHARS) : null;

const shown = (value: string, max: number): string =>
  cutText(withoutReplySignatures(value), max).toWellFormed();
