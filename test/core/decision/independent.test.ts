/**
 * Thirty rules over random emails, each with the same condition in JavaScript beside it. The
 * conditions read the email as it was generated, not the variables of expressions. A failure prints the
 * seed, the rule and the email.
 */
import { expect, test } from 'vitest';

import { senderLists } from '../../../services/core/expression/sender-list.ts';
import type { ExpressionFacts } from '../../../services/core/expression/variables.ts';
import { NOT_CHECKED } from '../../../services/core/mail/spam.ts';
import { evaluateRules } from '../../../services/core/decision/rules.ts';
import { atLeast, fc, runs, seed } from '../../support/random.ts';
import { expressionFacts } from '../expression/facts.ts';

const DOMAINS = ['partner.example', 'mail.partner.example', 'evilpartner.example', 'evil.test'];
const LISTED = ['partner.example', 'ann@evil.test', '*.group.example'];

const Email = fc.record({
  name: fc.constantFrom('', 'Ann', 'ann@partner.example', 'Sales, Inc.'),
  local: fc.constantFrom('ann', 'Bob', 'no-reply', 'x'),
  domain: fc.constantFrom(...DOMAINS, 'a.b.group.example', 'group.example'),
  isSecondFrom: fc.boolean(),
  dmarc: fc.constantFrom('pass', 'fail', 'none', 'temperror'),
  dkim: fc.constantFrom('pass', 'fail', 'none'),
  spf: fc.constantFrom('pass', 'softfail', 'none'),
  subject: fc.option(fc.constantFrom('', 'Invoice 7', 'your INVOICE', 'Straße', 'Order 12')),
  to: fc.option(fc.constantFrom('box@in.example', 'other@in.example')),
  mailFrom: fc.constantFrom('', 'bounce@partner.example', 'srs0=x@forward.example'),
  recipients: fc.uniqueArray(
    fc.constantFrom('orders@in.example', 'sales@in.example', 'box@in.example'),
    { minLength: 1 },
  ),
  ip: fc.constantFrom('192.0.2.1', '2001:db8::1'),
  plusTag: fc.option(fc.constantFrom('billing', 'x')),
  headers: fc.dictionary(
    fc.constantFrom('list-id', 'x-priority', 'precedence'),
    fc.constantFrom('<news.example>', '1', 'bulk'),
    { noNullPrototype: true },
  ),
  score: fc.constantFrom(0, 4.9, 5, 9.5),
  size: fc.constantFrom(1, 1_000, 5_242_880, 5_242_881),
  attachments: fc.array(
    fc.record({
      filename: fc.constantFrom('', 'a.pdf', 'B.PDF', 'run.EXE', 'c.png'),
      content_type: fc.constantFrom('application/pdf', 'Image/PNG', 'application/octet-stream'),
      size_bytes: fc.constantFrom(0, 10, 1_048_576),
    }),
    { maxLength: 4 },
  ),
  isAuto: fc.boolean(),
  isBounce: fc.boolean(),
  isList: fc.boolean(),
  at: fc.date({ min: new Date('2024-01-01'), max: new Date('2027-12-31'), noInvalidDate: true }),
});
type Email = typeof Email extends fc.Arbitrary<infer E> ? E : never;

const author = ({ local, domain, isSecondFrom }: Email) =>
  isSecondFrom ? '' : `${local.toLowerCase()}@${domain}`;
/** Undefined while DNS does not answer. */
const sender = (email: Email): string | undefined => {
  if (author(email) === '') return '';
  if (email.dmarc === 'pass' || email.dkim === 'pass') return author(email);
  return email.dmarc === 'temperror' ? undefined : '';
};
const onList = (text: string) =>
  LISTED.includes(text) ||
  LISTED.includes(text.split('@')[1] ?? '') ||
  text.endsWith('.group.example');
const ifSender = (email: Email, holds: (proven: string) => boolean) => {
  const proven = sender(email);
  return proven === undefined ? undefined : holds(proven);
};
const endsIn = (email: Email, ending: string) =>
  email.attachments.some(({ filename }) => filename.toLowerCase().endsWith(ending));

/** Undefined where the rule fails. */
type Holds = (email: Email) => boolean | undefined;
const RULES: [when: string, holds: Holds][] = [
  ['subject.contains("Invoice")', (e) => e.subject?.includes('Invoice') ?? false],
  ['subject.lowerAscii().contains("invoice")', (e) => /invoice/i.test(e.subject ?? '')],
  ['subject == ""', (e) => !e.subject],
  ['subject.size() > 6 && subject.size() < 10', (e) => /^.{7,9}$/.test(e.subject ?? '')],
  ['to == "box@in.example" || cc != ""', (e) => e.to === 'box@in.example'],
  ['from.address == "ann@partner.example"', (e) => author(e) === 'ann@partner.example'],
  [
    'from.domain == "partner.example" || from.domain.endsWith(".partner.example")',
    (e) => !e.isSecondFrom && /^(mail\.)?partner\.example$/.test(e.domain),
  ],
  ['from.address.startsWith("no-reply@")', (e) => !e.isSecondFrom && e.local === 'no-reply'],
  ['from.text.contains("@partner.example")', (e) => fromText(e).includes('@partner.example')],
  ['from.address in lists.partners', (e) => onList(author(e))],
  ['sender in lists.partners', (e) => ifSender(e, onList)],
  ['sender == ""', (e) => ifSender(e, (one) => one === '')],
  [
    'sender.endsWith("@partner.example")',
    (e) => ifSender(e, (one) => one.split('@')[1] === 'partner.example'),
  ],
  ['size_bytes > 5242880', (e) => e.size > 5 * 1024 ** 2],
  ['size_bytes / 1024 >= 1 && size_bytes % 2 == 0', (e) => e.size === 5_242_880],
  ['spam.score >= 5.0', (e) => e.score > 4.95],
  [
    'spam.score < 5 && !auto_submitted && !is_bounce',
    (e) => !(e.score >= 5 || e.isAuto || e.isBounce),
  ],
  ['attachments.size() == 0', (e) => e.attachments.length === 0],
  ['attachments.exists(a, a.filename.lowerAscii().endsWith(".exe"))', (e) => endsIn(e, '.exe')],
  [
    'attachments.all(a, a.content_type in ["application/pdf", "image/png"])',
    (e) => !e.attachments.some(({ content_type }) => content_type.endsWith('octet-stream')),
  ],
  [
    'attachments.exists_one(a, a.size_bytes > 1000)',
    (e) => e.attachments.filter(({ size_bytes }) => size_bytes > 1000).length === 1,
  ],
  [
    'attachments.filter(a, a.filename == "").size() >= 2',
    (e) => e.attachments.filter(({ filename }) => !filename).length > 1,
  ],
  [
    'envelope.rcpt_to.exists(r, r in ["orders@in.example", "sales@in.example"])',
    (e) => e.recipients.join().match(/orders|sales/) !== null,
  ],
  ['envelope.mail_from == "" ? is_bounce : is_list', (e) => (e.mailFrom ? e.isList : e.isBounce)],
  [
    '!envelope.remote_ip.contains(":") && plus_tag != "billing"',
    (e) => e.ip.includes('.') && e.plusTag !== 'billing',
  ],
  ['"list-id" in headers || is_list', (e) => 'list-id' in e.headers || e.isList],
  [
    'headers["x-priority"] == "1"',
    (e) => ('x-priority' in e.headers ? e.headers['x-priority'] === '1' : undefined),
  ],
  [
    'headers[?"precedence"].orValue("none") in ["bulk", "none"]',
    (e) => ['bulk', undefined].includes(e.headers.precedence),
  ],
  [
    'authentication.dmarc == "fail" && authentication.spf != "pass" || authentication.dkim == "fail"',
    (e) => (e.dmarc === 'fail' && e.spf !== 'pass') || e.dkim === 'fail',
  ],
  [
    'received_at.getDayOfWeek() in [1, 2, 3, 4, 5] && received_at.getHours() >= 8 && received_at.getHours() < 18',
    (e) => {
      const [day, , , , time = ''] = e.at.toUTCString().split(' ');
      return !['Sat,', 'Sun,'].includes(day ?? '') && time >= '08' && time < '18';
    },
  ],
];

const fromText = ({ name, local, domain }: Email) =>
  name === '' ? `${local}@${domain}` : `"${name}" <${local}@${domain}>`;

function factsOf(email: Email): ExpressionFacts {
  const from = fromText(email);
  const base = expressionFacts({ from, subject: email.subject ?? '', dmarc: email.dmarc });
  const { authentication } = base;
  if (!authentication) throw new Error('the sender was not authenticated');
  const field = { name: 'From', value: from };
  return {
    ...base,
    envelope: {
      mail_from: email.mailFrom,
      rcpt_to: email.recipients,
      helo_domain: 'mx.sender.example',
      remote_ip: email.ip,
    },
    headers: {
      ...base.headers,
      to: email.to,
      subject: email.subject,
      all: [
        field,
        ...(email.isSecondFrom ? [field] : []),
        ...Object.entries(email.headers).map(([name, value]) => ({
          name: name.toUpperCase(),
          value,
        })),
      ],
    },
    content: { size_bytes: email.size },
    attachments: email.attachments,
    spam: {
      ...NOT_CHECKED,
      score: email.score,
      details: { spf: email.spf, dkim: email.dkim, dmarc: email.dmarc },
    },
    authentication: {
      ...authentication,
      dmarc: { ...authentication.dmarc, domain: email.domain },
      dkim:
        email.dkim === 'none'
          ? []
          : [
              {
                result: email.dkim,
                aligned: true,
                domain: email.domain,
                selector: 's',
                reason: null,
              },
            ],
    },
    plus_tag: email.plusTag,
    auto_submitted: email.isAuto,
    is_bounce: email.isBounce,
    is_list: email.isList,
    metadata: { received_at: email.at.toISOString() },
    lists: senderLists(new Map([['partners', new Set(LISTED)]])),
  };
}

/** What the trace says about each rule, alone: a rule that matches must not end the others. */
const resultOf = (when: string, facts: ExpressionFacts) =>
  evaluateRules({ account: [], address: [{ name: 'r', when, action: 'tag', tags: ['t'] }] }, facts)
    .trace.rules[0]?.result;

const RESULTS = { true: 'matched', false: 'not_matched', undefined: 'failed' };

test(`${RULES.length} rules over random emails, seed ${seed}`, () => {
  const seen = new Map(RULES.map(([when]) => [when, new Set<string>()]));
  fc.assert(
    fc.property(Email, (email) => {
      const facts = factsOf(email);
      const expected = RULES.map(([when, holds]) => [when, RESULTS[`${holds(email)}`]] as const);
      expect(RULES.map(([when]) => [when, resultOf(when, facts)])).toEqual(expected);
      for (const [when, result] of expected) seen.get(when)?.add(result);
    }),
    runs(350),
  );
  expect(RULES).toHaveLength(30);
  const oneSided = [...seen].filter(([, results]) => results.size < atLeast(2));
  expect(oneSided).toEqual([]);
});
