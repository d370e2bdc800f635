/** Expressions over an email: types, errors with their place, bounds, and any text at all. */
import { describe, expect, test } from 'vitest';

import { compileExpression } from '../../../services/core/expression/expression.ts';
import { cutWarnings } from '../../../services/core/expression/cut-warnings.ts';
import { type ExpressionFacts, variablesOf } from '../../../services/core/expression/variables.ts';
import { EXAMPLE_PAYLOAD } from '../../../services/core/webhook/example.ts';
import { fc, runs } from '../../support/random.ts';

const evaluate = (text: string, facts: ExpressionFacts = EXAMPLE_PAYLOAD) => {
  const { expression, error } = compileExpression(text);
  return expression === null ? error : expression.evaluate(variablesOf(facts));
};
const withHeaders = (headers: Partial<ExpressionFacts['headers']>): ExpressionFacts => ({
  ...EXAMPLE_PAYLOAD,
  headers: { ...EXAMPLE_PAYLOAD.headers, ...headers },
});

const CASES: [string, boolean | string][] = [
  ['from.address == "ann@sender.example" && from.domain == "sender.example"', true],
  ['envelope.rcpt_to == envelope.rcpt_to', 'Lists and maps cannot be compared'],
  ['"orders@in.example.com" in envelope.rcpt_to && envelope.mail_from.endsWith(".example")', true],
  ['headers["subject"] == "Order 7" && "from" in headers && !("cc" in headers)', true],
  ['headers[?"x-none"].orValue("") == "" && !headers[?"x-none"].hasValue()', true],
  ['attachments.exists(a, a.filename.endsWith(".txt") && a.size_bytes == 11)', true],
  ['attachments.filter(a, a.content_type == "text/html").size() > 0', false],
  ['attachments.exists(a, [".exe", ".txt"].exists(e, a.filename.endsWith(e)))', true],
  ['authentication.dmarc == "pass" && authentication.arc == "none" && spam.score < 1', true],
  ['received_at - date < duration("1m") && date > timestamp("2026-01-01T00:00:00Z")', true],
  ['headers["list-id"] == ""', 'No such key: list-id'],
  ['subject', 'The result is string, not bool'],
  ['size_bytes > "5"', 'no such overload: int > string'],
  ['text == "body"', 'Unknown variable: text'],
  ['from.nam == ""', 'No such key: nam'],
  ['subject.matches("(a+)+$")', 'Regular expressions are not available'],
  ['subject + "x" == "y"', 'Texts and lists cannot be concatenated'],
  ['attachments.map(a, a.filename).size() > 1', 'map is not available'],
  ['cel.bind(a, subject, a == "x")', 'The function bind is not available'],
  ['received_at.getHours("Europe/Berlin") > 8', 'getHours has no argument'],
  ['received_at > timestamp(subject)', 'timestamp needs a constant text'],
  ['attachments.exists(headers, true)', 'headers is the name of a variable'],
  [`subject == "${'x'.repeat(2_000)}"`, 'An expression has at most 2000 characters'],
  ['headers.exists(h, attachments.exists(a, a.filename == h))', false],
  [Array.from({ length: 100 }, () => 'is_list').join('||') + '||'.repeat(200), 'Unexpected token'],
  [`${'('.repeat(100)}true${')'.repeat(100)}`, 'Exceeded max'],
];

test.each(CASES.map(([text, expected]) => [text.slice(0, 80), text, expected]))(
  '%s',
  (_title, text, expected) => {
    const found = evaluate(text);
    expect(JSON.stringify(found)).toContain(
      typeof expected === 'boolean' ? `{"value":${expected},"error":null}` : expected,
    );
  },
);

test('K.3: the reply address that an email was sent to', () => {
  const reply = {
    status: 'valid',
    reference: 'ticket-42',
    expires_at: '2026-12-21T08:00:00Z',
    sender: 'bound',
  } as const;
  const isTrue = { value: true, error: null };
  const isTicket =
    'reply.status == "valid" && reply.sender == "bound" && reply.reference.startsWith("ticket-")';
  expect(evaluate(isTicket, { ...EXAMPLE_PAYLOAD, reply })).toEqual(isTrue);
  const withoutOne = { ...EXAMPLE_PAYLOAD, reply: undefined };
  expect(evaluate('reply.status == "none" && reply.reference == ""', withoutOne)).toEqual(isTrue);
});

test('an error has the place where it is', () => {
  expect(evaluate('is_list || size_bytes > "5"')).toMatchObject({ position: 11 });
  expect(evaluate('is_list || headers["x"] == ""')).toEqual({
    value: null,
    error: { message: 'No such key: x', position: 11 },
  });
});

const fromOf = (text: string, repeated = false) =>
  variablesOf(
    withHeaders({
      from: text,
      all: Array.from({ length: repeated ? 2 : 1 }, () => ({ name: 'From', value: text })),
    }),
  ).from.address;

describe('From', () => {
  test.each([
    ['"Ann" <Ann@Sender.example>', 'ann@sender.example'],
    ['ann@bücher.example', 'ann@xn--bcher-kva.example'],
    ['"ceo@good.example" <evil@bad.example>', 'evil@bad.example'],
    ['"x" <ceo@good.example>, evil@bad.example', ''],
    ['"x" <ceo@good.example>, "y" <evil@bad.example>', ''],
    ['"x" <ceo@good.example>" <evil@bad.example>', ''],
    ['"group": a@good.example;', ''],
    ['nobody', ''],
  ])('%s', (text, address) => {
    expect(fromOf(text)).toBe(address);
  });

  test('is empty when the header is repeated', () => {
    expect(fromOf('ann@sender.example', true)).toBe('');
  });
});

test('values of a repeated header are lines, and what is cut is said', () => {
  const all = [
    { name: 'X-Tag', value: 'one' },
    { name: 'x-tag', value: 'two' },
    ...Array.from({ length: 600 }, (_, at) => ({ name: `X-${at}`, value: 'y'.repeat(5_000) })),
  ];
  const facts = withHeaders({ all });
  const { headers } = variablesOf(facts);
  expect([headers.get('x-tag'), headers.size, headers.get('x-1')?.length]).toEqual([
    'one\ntwo',
    500,
    4_096,
  ]);
  expect(cutWarnings(facts)).toHaveLength(2);
  expect(cutWarnings(EXAMPLE_PAYLOAD)).toEqual([]);
});

test('variables that no expression reads cost nothing', () => {
  const facts = new Proxy({} as ExpressionFacts, {
    get: (_, name) => {
      throw new Error(`read ${String(name)}`);
    },
  });
  expect(compileExpression('true').expression?.evaluate(variablesOf(facts)).value).toBe(true);
});

test('any text is a result or an error with a place within it', () => {
  const piece = fc.constantFrom(
    ...'from.domain subject headers attachments envelope.rcpt_to size_bytes date is_list'.split(
      ' ',
    ),
    ...' ( ) [ ] { } && || ! == != < in + - / . , ? : a x "a" \'\\x r" 0 1 9e9 -1 null'.split(' '),
    ...'.exists(x, _.filter(a, _.size()_.contains("a")_["a"]_[?"a"]_has('.split('_'),
    ...'.orValue("")~duration("1h")~__proto__~constructor~.toString()~dyn('.split('~'),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
        fc.string({ unit: 'binary', maxLength: 100 }),
      ),
      (text) => {
        const { expression, error } = compileExpression(text);
        const outcome = expression?.evaluate(variablesOf(EXAMPLE_PAYLOAD));
        const { message, position } = error ?? outcome?.error ?? { message: 'none', position: 0 };
        const isResult = typeof outcome?.value === 'boolean';
        const isFault = message !== 'none' && message !== '';
        expect([isResult, position >= 0 && position <= text.length]).toEqual([!isFault, true]);
      },
    ),
    runs(200),
  );
});
