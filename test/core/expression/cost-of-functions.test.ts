/**
 * The table of costs is measured: the longest allowed expression of each function and operator, on
 * the values that take it longest, against that of plain comparisons.
 */
import { describe, expect, test } from 'vitest';

import { FUNCTIONS, LOOPS, METHODS } from '../../../services/core/expression/cost.ts';
import {
  compileExpression,
  type Expression,
} from '../../../services/core/expression/expression.ts';
import { senderLists } from '../../../services/core/expression/sender-list.ts';
import { variablesOf } from '../../../services/core/expression/variables.ts';
import { EXAMPLE_PAYLOAD } from '../../../services/core/webhook/example.ts';
import { leastCpuMs } from '../../support/cpu-time.ts';

/** Units of cost are rough: what is measured is at most 25 now. A wrong price shows as hundreds. */
const TIMES_BASELINE = 60;
const COUNTS = [1, 2, 3, 5, 7, 10, 14, 19, 26, 36, 50, 60, 70, 80, 90, 100];

/** A reader of texts is slowest on one of these. */
const TEXTS = {
  plain: 'ab'.repeat(500),
  upper: 'AB'.repeat(500),
  wide: '\u{1f600}'.repeat(500),
  mixed: 'aÜ'.repeat(500),
  domain: `a@${'a.'.repeat(125)}example`,
  dots: '.'.repeat(1_000),
};
const factsWith = (text: string) => ({
  ...EXAMPLE_PAYLOAD,
  envelope: { ...EXAMPLE_PAYLOAD.envelope, rcpt_to: Array.from({ length: 100 }, () => text) },
  headers: {
    ...EXAMPLE_PAYLOAD.headers,
    subject: text,
    all: Array.from({ length: 200 }, (_, at) => ({ name: `X-${at}`, value: text })),
  },
  attachments: Array.from({ length: 50 }, () => ({
    filename: text,
    content_type: text,
    size_bytes: 1,
  })),
  lists: senderLists(new Map([['p', new Set(['*.partner.example', 'a@partner.example'])]])),
});

/** Each in a condition that does not end early. */
const CALLS: Readonly<Record<string, string>> = {
  startsWith: `subject.startsWith("${'ab'.repeat(40)}b")`,
  endsWith: `subject.endsWith("b${'ab'.repeat(40)}")`,
  contains: `subject.contains("b${'ab'.repeat(9)}b")`,
  lowerAscii: 'subject.lowerAscii()=="x"',
  upperAscii: 'subject.upperAscii()=="x"',
  size: 'subject.size()==1',
  hasValue: 'headers[?"x-zz"].hasValue()',
  orValue: 'headers[?"x-1"].orValue("")=="x"',
  has: '!has(headers.q)==false',
  timestamp: 'date<timestamp("1999-11-25T00:00:00Z")',
  duration: 'received_at-date<duration("-9000h")',
  'in a list': '"x" in envelope.rcpt_to',
  'in lists': 'subject in lists.p',
  'in a list that a loop names': '[lists.p].exists(l,subject in l||subject in l)',
  'in a list, for each attachment': '[lists.p].exists(l,attachments.exists(a,subject in l))',
  'a header that is missing': 'headers["q"]==""',
  division: '1/0==1',
  arithmetic: 'size_bytes*2+1-3==0',
  comparison: 'subject<"a"',
  exists: 'envelope.rcpt_to.exists(r,r=="x")',
  all: '!envelope.rcpt_to.all(r,r!="x")',
  exists_one: 'envelope.rcpt_to.exists_one(r,r=="x")',
  filter: 'envelope.rcpt_to.filter(r,r!="x").size()==1',
  ...Object.fromEntries(
    Object.keys(METHODS)
      .filter((name) => name.startsWith('get'))
      .map((name) => [name, `date.${name}()==99`]),
  ),
};

/** Repeated as often as allowed: next to each other, and within a loop. */
function longest(call: string): Expression[] {
  const shapes = [
    (count: number) => Array.from({ length: count }, () => call).join('||'),
    (count: number) => `headers.exists(h,${Array.from({ length: count }, () => call).join('||')})`,
    (count: number) => `[${Array.from({ length: count }, () => '1').join()}].exists(i,${call})`,
  ];
  return shapes.flatMap((shape) => {
    const allowed = COUNTS.map((count) => compileExpression(shape(count)).expression).filter(
      (one) => one !== null,
    );
    return allowed.at(-1) ?? [];
  });
}

/** CPU time of one evaluation. */
const costOf = (expression: Expression, text: string, evaluations: number): number => {
  const variables = variablesOf(factsWith(text));
  const all = leastCpuMs(() => {
    for (let count = 0; count < evaluations; count++) expression.evaluate(variables);
  });
  return all / evaluations;
};

describe('the cost of', () => {
  const baseline = Math.max(
    ...longest('size_bytes==1').map((expression) => costOf(expression, TEXTS.plain, 1_000)),
  );
  test.each(Object.entries(CALLS))('%s is not below what it takes', (_, call) => {
    const expressions = longest(call);
    expect(expressions).not.toEqual([]);
    for (const expression of expressions)
      for (const [name, text] of Object.entries(TEXTS))
        expect(costOf(expression, text, 20), `${expression.text} on ${name}`).toBeLessThan(
          TIMES_BASELINE * baseline,
        );
  });
});

test('every function has a measurement', () => {
  const measured = Object.keys(CALLS);
  expect(measured).toEqual(
    expect.arrayContaining([...Object.keys(METHODS), ...LOOPS, ...FUNCTIONS]),
  );
});
