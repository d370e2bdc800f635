/**
 * Rules that refuse by the connection alone are decided at RCPT: the client need not send the email
 * (D278). Every other rule is decided at the end of DATA.
 */
import { compileExpression, type Expression } from '../expression/expression.ts';
import { isExhausted } from '../expression/metering.ts';
import { senderLists } from '../expression/sender-list.ts';
import { type ExpressionFacts, takeCutReads, variablesOf } from '../expression/variables.ts';
import { NOT_CHECKED } from '../mail/spam.ts';
import { ruleRefused, type SmtpReply } from '../smtp/smtp-reply.ts';
import { NOTHING_READ } from '../webhook/payload.ts';
import { type KnownAtRcpt, type RecipientWithRules, VARIABLES_AT_RCPT } from './at-rcpt.ts';

/** For all rules of a recipient: the client waits for the reply to its RCPT. */
const UNITS_MAX = 20_000;

/** The reply that refuses this recipient; undefined when the end of DATA decides. */
export function refusalBeforeData(
  recipient: RecipientWithRules,
  before: KnownAtRcpt,
): SmtpReply | undefined {
  const { account_rules = [], rules = [] } = recipient;
  const all = [...account_rules, ...rules].filter(({ action }) => action !== 'tag');
  if (!all.some(({ action, when }) => action === 'refuse' && knownOf(when))) return undefined;
  const variables = variablesOf(factsOf(recipient, before));
  const units = { left: UNITS_MAX };
  for (const { action, when } of all) {
    const expression = knownOf(when);
    if (expression === undefined) {
      if (action === 'refuse') continue; // if it matches, the email is refused as well
      return undefined; // it may hold or drop the email first
    }
    const { value } = expression.evaluate(variables, units);
    if (isExhausted(units) || takeCutReads(variables)) return undefined; // then the email may be held
    if (value) return action === 'refuse' ? ruleRefused : undefined;
  }
  return undefined;
}

/** Undefined when the expression reads more than RCPT knows, or nothing. */
function knownOf(when: string): Expression | undefined {
  const { expression } = compileExpression(when);
  const { variables = [] } = expression ?? {};
  return variables.length > 0 && variables.every((name) => VARIABLES_AT_RCPT.has(name))
    ? (expression ?? undefined)
    : undefined;
}

function factsOf(
  { lists, plus_tag }: RecipientWithRules,
  { mailFrom, heloDomain, remoteIp, tlsVersion, named }: KnownAtRcpt,
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
