/** D174: an email that has more than rules see does not avoid them. */
import { expect, test } from 'vitest';

import type { Rule } from '../../../services/core/rule/rule.ts';
import type { ExpressionFacts } from '../../../services/core/expression/variables.ts';
import { recipientReply, decideEach } from '../../../services/core/decision/decision.ts';
import { evaluateRules } from '../../../services/core/decision/rules.ts';
import { EXAMPLE_PAYLOAD } from '../../../services/core/webhook/example.ts';

type Padded = [when: string, padded: (facts: ExpressionFacts) => ExpressionFacts];

const file = (filename: string) => ({ filename, content_type: 'text/plain', size_bytes: 1 });
const withAttachments =
  (...attachments: ExpressionFacts['attachments']) =>
  (facts: ExpressionFacts) => ({ ...facts, attachments });
const withHeaders = (headers: Partial<ExpressionFacts['headers']>) => (facts: ExpressionFacts) => ({
  ...facts,
  headers: { ...facts.headers, ...headers },
});
const many = (count: number) => Array.from({ length: count }, (_, at) => at);
const LONG = 'x'.repeat(5_000);

const PADDED: Record<string, Padded> = {
  'an attachment after many': [
    'attachments.exists(a, a.filename.endsWith(".exe"))',
    withAttachments(...many(200).map((at) => file(`${at}.txt`)), file('virus.exe')),
  ],
  'a long name of a file': [
    'attachments.exists(a, a.filename.endsWith(".exe"))',
    withAttachments(file(`${LONG}.exe`)),
  ],
  'a header after many': [
    'headers[?"x-bad"].hasValue()',
    withHeaders({
      all: [
        ...many(500).map((at) => ({ name: `X-${at}`, value: '' })),
        { name: 'X-Bad', value: '1' },
      ],
    }),
  ],
  'a header after many, by its name in a loop': [
    'headers.exists(name, name == "x-bad")',
    withHeaders({
      all: [
        ...many(500).map((at) => ({ name: `X-${at}`, value: '' })),
        { name: 'X-Bad', value: '1' },
      ],
    }),
  ],
  'a header after many, with in': [
    '"x-bad" in headers',
    withHeaders({
      all: [
        ...many(500).map((at) => ({ name: `X-${at}`, value: '' })),
        { name: 'X-Bad', value: '1' },
      ],
    }),
  ],
  'a long value of a header': [
    'headers[?"x-a"].orValue("").contains("bad")',
    withHeaders({ all: [{ name: 'X-A', value: `${LONG} bad` }] }),
  ],
  'many lines of a header': [
    'headers[?"x-a"].orValue("").contains("bad")',
    withHeaders({
      all: [
        ...many(50).map(() => ({ name: 'X-A', value: 'x'.repeat(100) })),
        { name: 'X-A', value: 'bad' },
      ],
    }),
  ],
  'a long subject': ['subject.contains("bad")', withHeaders({ subject: `${LONG} bad` })],
  'a long subject, negated': [
    '!subject.contains("good")',
    withHeaders({ subject: `${LONG} good` }),
  ],
  'a long name of the author': [
    'from.text.contains("bad")',
    withHeaders({ from: `${LONG} bad <a@b.example>` }),
  ],
  'a long To': ['to.contains("bad")', withHeaders({ to: `${LONG} bad` })],
  'a recipient after many': [
    'envelope.rcpt_to.exists(one, one == "bad@in.example")',
    (facts) => ({
      ...facts,
      envelope: {
        ...facts.envelope,
        rcpt_to: [...many(100).map((at) => `${at}@in.example`), 'bad@in.example'],
      },
    }),
  ],
  'a long name of the client': [
    'envelope.helo_domain.contains("bad")',
    (facts) => ({ ...facts, envelope: { ...facts.envelope, helo_domain: `${LONG}bad` } }),
  ],
};

const outcomeOf = (action: Rule['action'], when: string, facts: ExpressionFacts) =>
  evaluateRules({ account: [], address: [{ name: 'one', when, action }] }, facts);

test.each(Object.entries(PADDED))(
  '%s: held with the reason, not delivered',
  (_, [when, padded]) => {
    const facts = padded(EXAMPLE_PAYLOAD);
    for (const action of ['refuse', 'drop', 'hold'] as const) {
      const rules = [{ name: 'one', when, action }];
      const [decision] = decideEach([recipientReply({ rules }, () => facts)]);
      expect(decision).toMatchObject({
        ruling: {
          action: 'hold',
          reason: 'cut',
          rules: [
            { name: 'one', result: 'failed', error: expect.stringContaining('longer') as string },
          ],
        },
      });
    }
    expect(outcomeOf('tag', when, facts).action).toBe('deliver');
  },
);

test('what a rule does not read may be as long as it likes', () => {
  const facts = withHeaders({
    subject: LONG,
    all: [
      { name: 'DKIM-Signature', value: LONG },
      { name: 'X-A', value: 'good' },
    ],
  })(EXAMPLE_PAYLOAD);
  for (const when of [
    'headers[?"x-a"].orValue("") == "bad"',
    'size_bytes < 0',
    'from.domain == "x"',
    'false && subject == ""',
  ])
    expect([when, outcomeOf('refuse', when, facts).action]).toEqual([when, 'deliver']);
  expect(outcomeOf('refuse', 'headers["x-a"] == "good"', facts)).toMatchObject({
    action: 'refuse',
  });
});

test('up to the bound, all is seen', () => {
  const facts = withAttachments(
    ...many(199).map((at) => file(`${at}.txt`)),
    file('virus.exe'),
  )(EXAMPLE_PAYLOAD);
  const when = 'attachments.exists(a, a.filename.endsWith(".exe"))';
  expect(outcomeOf('refuse', when, facts).action).toBe('refuse');
});
