/**
 * Everything of the API that reads an email, or evaluates an expression over one. It runs in a
 * thread, because a stranger or another account may have made it slow: see content-thread.ts.
 */
import { parseMail } from '../../adapters/mime/parse.ts';
import { step, threadCpuMs } from '../../adapters/threads/job.ts';
import { createEmailBudgets } from '../../core/expression/budget.ts';
import { evaluateWithin } from '../../core/expression/evaluate-within.ts';
import { createContentFacts } from '../../core/expression/content-facts.ts';
import { compileExpression } from '../../core/expression/expression.ts';
import type { ExpressionFault } from '../../core/expression/fault.ts';
import { senderLists } from '../../core/expression/sender-list.ts';
import { cutWarnings } from '../../core/expression/cut-warnings.ts';
import { type ExpressionFacts, variablesOf } from '../../core/expression/variables.ts';
import { extract } from '../../core/extract/extract.ts';
import type { Extraction } from '../../core/extract/extraction.ts';
import { readAddressField } from '../../core/mail/fields/address-field.ts';
import { authorOf } from '../../core/mail/author.ts';
import { NOT_CHECKED } from '../../core/mail/spam.ts';
import { attachmentLinks, codesAndLinksText, emailText } from '../../core/mcp/email-text.ts';
import type { ResourceLink } from '../../core/mcp/email-text.ts';
import {
  evaluateRules,
  type RuleOutcome,
  type RulesOfRecipient,
} from '../../core/decision/rules.ts';
import { type ShownEmail, shownEmail } from '../../core/webhook/shown-email.ts';
import { buildPayload } from '../../core/webhook/build-payload.ts';
import { type ParsedAttachment, type WebhookPayload } from '../../core/webhook/payload.ts';
import { readableHtml } from './readable-html.ts';

/** The bytes of a stored payload, or a raw email from a request. */
export type SentEmail =
  { payload: Uint8Array; firstSeen: boolean | undefined } | { raw: Uint8Array; now: Date };
type Lists = ReadonlyMap<string, ReadonlySet<string>>;
type Warned<Result> = Result & { warnings: string[] };

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Skips the schema: the gateway wrote the payload. */
const payloadIn = (bytes: Uint8Array) => JSON.parse(bufferOf(bytes).toString()) as WebhookPayload;

/** The whole job is one step: the thread does one job after the other. */
const job =
  <Task, Result>(work: (task: Task) => Result) =>
  (task: Task): Result =>
    step(0, () => work(task));

export const view = job((payload: Uint8Array): ShownEmail => shownEmail(payloadIn(payload)));

/** A page; null without an HTML body. */
export const page = job((payload: Uint8Array): Uint8Array | null => {
  const { content, attachments } = payloadIn(payload);
  if (content.html === null) return null;
  const images = attachments.flatMap(
    ({ content_id: id, content_type: contentType, content: base64 }) =>
      id === null || !base64 ? [] : [[id, { contentType, base64 }] as const],
  );
  return readableHtml(content.html, new Map(images));
});

export const attachment = job(
  ({ raw, index }: { raw: Uint8Array; index: number }): ParsedAttachment | undefined => {
    const found = parseMail(bufferOf(raw)).attachments[index];
    return found && { ...found, content: Uint8Array.from(found.content) }; // without the memory around it
  },
);

export const testExpression = job(
  ({
    email,
    when,
    lists,
  }: {
    email: SentEmail;
    when: string;
    lists: Lists;
  }): Warned<{ value: boolean | null; error: ExpressionFault | null }> => {
    const facts = factsOf(email);
    const { expression, error } = compileExpression(when);
    if (expression === null) return { value: null, error, warnings: [] };
    const variables = variablesOf({ ...facts, lists: senderLists(lists) });
    const { value, error: runtimeError } = evaluateWithin(facts.budget, expression, variables);
    return { value, error: runtimeError, warnings: cutWarnings(facts) };
  },
);

export const testRules = job(
  ({
    email,
    rules,
    lists,
  }: {
    email: SentEmail;
    rules: RulesOfRecipient;
    lists: Lists;
  }): Warned<RuleOutcome> => {
    const facts = factsOf(email);
    const known = 'raw' in email ? withoutProof(rules) : rules;
    const outcome = evaluateRules(known, { ...facts, lists: senderLists(lists) });
    return { ...outcome, warnings: cutWarnings(facts) };
  },
);

/** Nothing can authenticate the author of an email in a request: only the list counts. */
const withoutProof = ({ fields, ...rules }: RulesOfRecipient): RulesOfRecipient => {
  const allowed = fields?.allowed_senders;
  if (!allowed) return { ...rules, ...(fields && { fields }) };
  return {
    ...rules,
    fields: { ...fields, allowed_senders: { ...allowed, require_authenticated: false } },
  };
};

type ToolText = { text: string; addressId: string; links: ResourceLink[] };
type ToolTask = { payload: Uint8Array; mark: string };

const read = (payload: Uint8Array, requested: readonly Extraction[]) => {
  const email = payloadIn(payload);
  const { headers, content } = email;
  return { email, extracted: extract(new Set(requested), { headers, ...content }) ?? {} };
};

/** As a person sees it, whatever its address extracts. */
export const textForModel = job(({ payload, mark }: ToolTask): ToolText => {
  const { email, extracted } = read(payload, ['markdown', 'hidden_text']);
  const text = emailText(email, extracted, mark);
  return { text, addressId: email.address_id, links: attachmentLinks(email) };
});

export const codesForModel = job(({ payload, mark }: ToolTask): ToolText => {
  const { email, extracted } = read(payload, ['codes', 'links', 'hidden_text']);
  const text = codesAndLinksText(email, extracted, mark);
  return { text, addressId: email.address_id, links: [] };
});

/** Each test has the time of an email, whatever the account has tested before. */
const budgets = createEmailBudgets({
  cpuMs: threadCpuMs,
  nowMs: () => 0,
  minuteCpuMs: Infinity,
});

function factsOf(email: SentEmail): ExpressionFacts {
  const isStored = 'payload' in email;
  const facts = isStored
    ? payloadIn(email.payload)
    : { ...postedFacts(bufferOf(email.raw), email.now), tlsVersion: '' };
  const firstSeen = isStored ? email.firstSeen : true; // nobody proves the author of a posted one
  const { headers, content, attachments, envelope } = facts;
  const contentFacts = createContentFacts({
    headers,
    ...content,
    mailFrom: envelope.mail_from,
    contentTypes: attachments.map((part) => part.content_type),
  });
  return { ...facts, contentFacts, firstSeen, budget: budgets()('') };
}

/** As the gateway would see it, without what only an SMTP connection has. */
function postedFacts(raw: Buffer, now: Date) {
  const mail = parseMail(raw);
  const named = readAddressField(mail.headers.to ?? '').mailboxes.map(({ address }) => address);
  return buildPayload({
    eventId: '',
    addressId: '',
    envelope: { mailFrom: authorOf(mail.headers).address, heloDomain: '', remoteIp: '' },
    named,
    rcptTo: named,
    mail,
    sizeBytes: raw.byteLength,
    spam: NOT_CHECKED,
    receivedAt: now,
    now,
  });
}
