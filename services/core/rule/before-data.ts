/**
 * Rules that refuse by the connection alone are decided at RCPT: the client need not send the email
 * (D278). Every other rule is decided at the end of DATA.
 */
import type { Recipient } from '../address/recipient.ts';
import { compileExpression, type Expression } from '../expression/expression.ts';
import { senderLists } from '../expression/sender-list.ts';
import { type ExpressionFacts, takeCutReads, variablesOf } from '../expression/variables.ts';
import { NOT_CHECKED } from '../mail/spam.ts';
import { ruleRefused, type SmtpReply } from '../smtp/smtp-reply.ts';
import { NOTHING_READ } from '../webhook/payload.ts';

/** What RCPT knows of the email. */
type BeforeData = {
  mailFrom: string;
  heloDomain: string;
  remoteIp: string;
  /** Such as `1.3`; empty without TLS. */
  tlsVersion: string;
  /** The recipient, as the client wrote it. */
  named: string;
};

const KNOWN: ReadonlySet<string> = new Set([
  'envelope.mail_from',
  'envelope.helo_domain',
  'envelope.remote_ip',
  'recipient',
  'plus_tag',
  'tls.version',
]);

/** All rules of a recipient may cost so much: the thread that serves all clients replies to RCPT. */
const COST_MAX = 2_000;

type RecipientWithRules = Pick<Recipient, 'account_rules' | 'rules' | 'lists' | 'plus_tag'>;

/** The reply that refuses this recipient; undefined when the end of DATA decides. */
export function refusalBeforeData(
  recipient: RecipientWithRules,
  before: BeforeData,
): SmtpReply | undefined {
  const { account_rules = [], rules = [] } = recipient;
  const all = [...account_rules, ...rules].filter(({ action }) => action !== 'tag');
  if (!all.some(({ action, when }) => action === 'refuse' && knownOf(when))) return undefined;
  const variables = variablesOf(factsOf(recipient, before));
  let cost = 0;
  for (const { action, when } of all) {
    const expression = knownOf(when);
    if (expression === undefined) {
      if (action === 'refuse') continue; // if it matches, the email is refused as well
      return undefined; // it may hold or drop the email first
    }
    cost += expression.cost;
    if (cost > COST_MAX) return undefined;
    const { value } = expression.evaluate(variables);
    if (takeCutReads(variables)) return undefined; // then the email is held
    if (value) return action === 'refuse' ? ruleRefused : undefined;
  }
  return undefined;
}

/** Undefined when the expression reads more than RCPT knows, or nothing. */
function knownOf(when: string): Expression | undefined {
  const { expression } = compileExpression(when);
  const { variables = [] } = expression ?? {};
  return variables.length > 0 && variables.every((name) => KNOWN.has(name))
    ? (expression ?? undefined)
    : undefined;
}

function factsOf(
  { lists, plus_tag }: RecipientWithRules,
  { mailFrom, heloDomain, remoteIp, tlsVersion, named }: BeforeData,
): ExpressionFacts {
  return {
    envelope: {
      mail_from: mailFrom,
      rcpt_to: [],
      helo_domain: heloDomain,
      remote_ip: remoteIp,
    },
    recipient: named,
    plus_tag: plus_tag ?? null,
    tlsVersion,
    lists: lists && senderLists(lists),
    ...NOT_KNOWN,
  };
}

/** None of these expressions reads it. */
const NOT_KNOWN = {
  headers: { ...NOTHING_READ.headers, date: null },
  content: { size_bytes: 0 },
  attachments: [],
  spam: NOT_CHECKED,
  authentication: null,
  auto_submitted: false,
  is_bounce: false,
  is_list: false,
  metadata: { received_at: '' },
};
