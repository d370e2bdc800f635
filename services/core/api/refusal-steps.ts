/**
 * What can be done about a refusal (docs/refusals.md): a change of the address that lets the sender in, or
 * one that holds such email. Where nobody proved who the sender is, anybody can write in its name, too:
 * then the change says so.
 */
import type { Address, Refusal, RuleRequest, UpdateAddressRequest } from './api-types.generated.ts';

type Settings = Pick<
  Address,
  'allowed_senders' | 'spam_refuse_above' | 'refuse_infected' | 'rules'
>;
type Change = Pick<UpdateAddressRequest, keyof Settings>;

export type SenderAllowed = {
  sender: string;
  change: Change;
  /** Whether only email that proves the sender comes in. */
  isProven: boolean;
};

/** Why there is no such change. */
export const NOT_ALLOWABLE = {
  other_reason: 'No list of senders changes that.',
  no_sender: 'It names no sender: its From was not read, is redacted, or has several addresses.',
  listed_but_unproven: 'The sender is allowed already, but nothing proved that it was the sender.',
  no_longer_set: 'The address does not refuse for this reason any more.',
} as const;
export type NotAllowable = keyof typeof NOT_ALLOWABLE;

/** Reasons for which there may be one. */
export const ALLOWABLE_REASONS: readonly string[] = ['sender_not_allowed', 'spam_refused'];

type Refused = Pick<Refusal, 'reason' | 'from'> & { authentication: { dmarc: string } | null };

export function allowSender(
  { reason, from, authentication }: Refused,
  settings: Settings,
): SenderAllowed | NotAllowable {
  if (!ALLOWABLE_REASONS.includes(reason)) return 'other_reason';
  const sender = authorIn(from);
  if (sender === undefined) return 'no_sender';
  const isProven = authentication?.dmarc === 'pass';
  return reason === 'spam_refused'
    ? beyondSpam(sender, isProven, settings)
    : listed(sender, settings);
}

/** Inlet wrote this From, so one address is either all of it, or in brackets after a name. */
const ONE_AUTHOR =
  /^(?:(?:"(?:[^"\\]|\\.)*"|[^"<>,@]*)\s*<([^\s<>",@\\]+@[^\s<>",@\\]+)>|([^\s<>",@\\]+@[^\s<>",@\\]+))$/;

const authorIn = (from: string | null): string | undefined => {
  const [, inBrackets, alone] = ONE_AUTHOR.exec(from ?? '') ?? [];
  const address = (inBrackets ?? alone)?.toLowerCase();
  if (address === undefined) return undefined;
  const domain = address.slice(address.lastIndexOf('@') + 1);
  const host = URL.parse(`http://${domain}`)?.hostname ?? domain; // A-labels, as in expressions
  return address.slice(0, -domain.length) + host;
};

function listed(sender: string, { allowed_senders }: Settings): SenderAllowed | NotAllowable {
  if (allowed_senders === null) return 'no_longer_set';
  const { senders, require_authenticated } = allowed_senders;
  const domain = sender.slice(sender.lastIndexOf('@') + 1);
  if (senders.some((one) => one === sender || one === domain)) return 'listed_but_unproven';
  return {
    sender,
    change: { allowed_senders: { ...allowed_senders, senders: [...senders, sender] } },
    isProven: require_authenticated,
  };
}

/** No field excepts a sender from the spam score, so a rule takes the place of the field. */
function beyondSpam(
  sender: string,
  isProven: boolean,
  { spam_refuse_above: limit, rules }: Settings,
): SenderAllowed | NotAllowable {
  if (limit === null) return 'no_longer_set';
  const variable = isProven ? 'sender' : 'from.address';
  const rule: RuleRequest = {
    name: `spam, unless from ${sender}`.slice(0, RULE_NAME_MAX_CHARS),
    when: `${scoreAbove(limit)} && ${variable} != "${sender}"`,
    action: 'refuse',
  };
  return {
    sender,
    change: { spam_refuse_above: null, rules: withRule(rules, rule) },
    isProven,
  };
}

const RULE_NAME_MAX_CHARS = 60;

/** The change with which such email is held instead of refused. Undefined where no rule of the address can. */
export function holdInstead(
  { reason, decided_by: by }: Pick<Refusal, 'reason' | 'decided_by'>,
  { spam_refuse_above: limit, refuse_infected, rules }: Settings,
): Change | undefined {
  if (by?.scope !== 'address') return undefined;
  const action = 'hold';
  if (reason === 'spam_refused' && limit !== null) {
    const rule = { name: 'spam', when: scoreAbove(limit), action } as const;
    return { spam_refuse_above: null, rules: withRule(rules, rule) };
  }
  if (reason === 'virus_refused' && refuse_infected) {
    const rule = { name: 'malware', when: 'virus.verdict == "infected"', action } as const;
    return { refuse_infected: false, rules: withRule(rules, rule) };
  }
  const at = rules.findIndex((rule) => rule.name === by.name && rule.action === 'refuse');
  if (reason !== 'rule_refused' || at === -1) return undefined;
  return {
    rules: rules.map((rule, n) => (n === at ? { ...rule, action } : rule)) as RuleRequest[],
  };
}

const scoreAbove = (limit: number): string =>
  `spam.score > ${Number.isInteger(limit) ? `${limit}.0` : limit}`;

/** A request takes the rules as responses show them. */
const withRule = (rules: Settings['rules'], rule: RuleRequest): RuleRequest[] => [
  ...(rules as RuleRequest[]),
  rule,
];
