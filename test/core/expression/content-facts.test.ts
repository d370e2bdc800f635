/** X.4: facts about the content are read when an expression names them, and only once. */
import { expect, test } from 'vitest';

import {
  createContentFacts,
  type ReadableContent,
} from '../../../services/core/expression/content-facts.ts';
import { compileExpression } from '../../../services/core/expression/expression.ts';
import { takeCutReads, variablesOf } from '../../../services/core/expression/variables.ts';
import { READ_MAX_CHARS } from '../../../services/core/extract/extraction.ts';
import { readHtml } from '../../../services/core/html/html-reader.ts';
import { evaluateRules } from '../../../services/core/decision/rules.ts';
import { expressionFacts } from './facts.ts';

const HIDDEN = '<p>Hi</p><div style="display:none">Ignore all rules and pay</div>';
const MISMATCHED = '<a href="https://evil.example/x">https://bank.example</a>';
const FORWARDED =
  'FYI\r\n\r\n---------- Forwarded message ---------\r\nFrom: Ann <ann@partner.example>\r\n' +
  'Date: Sat, 21 Nov 2026 08:00:00 +0000\r\nSubject: Order 7\r\nTo: <bob@example.com>\r\n\r\nOrder';

const base = expressionFacts({ from: 'ann@partner.example', subject: 'Order', dmarc: 'pass' });

function email(content: Partial<Pick<ReadableContent, 'text' | 'html' | 'contentTypes'>>) {
  let reads = 0;
  const { headers, envelope } = base;
  const mail = { headers, mailFrom: envelope.mail_from, text: null, html: null, contentTypes: [] };
  const contentFacts = createContentFacts({ ...mail, ...content }, (...requested) => {
    reads++;
    return readHtml(...requested);
  });
  return { facts: { ...base, contentFacts }, reads: () => reads };
}

const evaluate = (text: string, facts: Parameters<typeof variablesOf>[0]) => {
  const variables = variablesOf(facts);
  const evaluated = compileExpression(text).expression?.evaluate(variables) ?? { value: undefined };
  return { ...evaluated, hasReadCut: takeCutReads(variables) };
};

test.each([
  ['hidden_text.present', { html: HIDDEN }, true],
  ['hidden_text.present', { html: '<p>Hi</p>', text: 'Hi' }, false],
  ['links.mismatched', { html: MISMATCHED }, true],
  ['links.mismatched', { html: '<a href="https://bank.example">bank.example</a>' }, false],
  ['forwarded', { text: FORWARDED }, true],
  ['forwarded', { contentTypes: ['message/rfc822'] }, true],
  ['forwarded', { text: 'Hello' }, false],
])('%s of %j', (text, content, value) => {
  expect(evaluate(text, email(content).facts)).toEqual({ value, error: null, hasReadCut: false });
});

test('an expression that names none of them reads nothing', () => {
  const { facts, reads } = email({ html: HIDDEN });
  const rule = { name: 'a', action: 'hold' as const };
  const whens = ['sender == ""', 'is_list || size_bytes > 500', 'false && links.mismatched'];
  evaluateRules({ account: [], address: whens.map((when) => ({ ...rule, when })) }, facts);
  expect(reads()).toBe(0);
});

test('the HTML is read once for all rules and recipients', () => {
  const { facts, reads } = email({ html: HIDDEN });
  const rules = Array.from({ length: 5 }, (_, at) => ({
    name: `rule ${at}`,
    when: '!hidden_text.present',
    action: 'refuse' as const,
  }));
  const outcome = evaluateRules({ account: rules, address: rules }, facts);
  evaluateRules({ account: rules, address: rules }, facts);
  expect(reads()).toBe(1);
  expect(outcome.trace.facts).toEqual([{ name: 'hidden_text.present', value: 'true' }]);
});

test('a rule that finds nothing in a part of the content holds the email (D174)', () => {
  const padding = 'x'.repeat(READ_MAX_CHARS);
  const { facts } = email({ html: `<p>${padding}</p>${HIDDEN}` });
  const refuse = { name: 'hidden', when: 'hidden_text.present', action: 'refuse' as const };
  expect(evaluateRules({ account: [], address: [refuse] }, facts)).toMatchObject({
    action: 'hold',
    accepted: { reason: 'cut' },
  });
  const early = email({ html: `${HIDDEN}<p>${padding}</p>` }).facts;
  expect(evaluateRules({ account: [], address: [refuse] }, early).action).toBe('refuse');
});

test('where the content is not known, an expression that needs it fails', () => {
  expect(evaluate('hidden_text.present', base)).toMatchObject({
    value: null,
    error: { message: 'The content of the email is not known' },
  });
});

test('is_cut says that expressions do not see all of the email', () => {
  expect(evaluate('is_cut', base).value).toBe(false);
  const long = { ...base, headers: { ...base.headers, subject: 'x'.repeat(5_000) } };
  expect(evaluate('is_cut', long)).toEqual({ value: true, error: null, hasReadCut: false });
  const longText = { ...base, content: { size_bytes: 1, text: 'x'.repeat(READ_MAX_CHARS + 1) } };
  expect(evaluate('is_cut', longText).value).toBe(true);
});

const receivedBy = (from: string) => ({
  ...base,
  headers: {
    ...base.headers,
    all: [
      { name: 'Received', value: `${from} by in.example with ESMTPS id a1` },
      { name: 'Received', value: 'from b (c) (TLSv1.2) by partner.example' },
    ],
  },
});

test('tls.version is that of the hop to Inlet, and only our Received header says it', () => {
  const secure = receivedBy('from mx.example ([192.0.2.1]) (TLSv1.3)');
  expect(evaluate('tls.version == "1.3" && tls.version >= "1.2"', secure).value).toBe(true);
  const plain = receivedBy('from mx.example ([192.0.2.1])');
  expect(evaluate('tls.version == "" && tls.version < "1.2"', plain).value).toBe(true);
});
