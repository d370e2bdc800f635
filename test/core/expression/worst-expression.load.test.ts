/** The most expensive expressions that are allowed, on the email that costs them most. */
import { expect, test } from 'vitest';

import { compileExpression } from '../../../services/core/expression/expression.ts';
import { type ExpressionFacts, variablesOf } from '../../../services/core/expression/variables.ts';
import { EXAMPLE_PAYLOAD } from '../../../services/core/webhook/example.ts';
import { atMost } from '../../support/slowdown.ts';

const MAX_MS = 2;
const LONG = 'ab'.repeat(600);
const EMAIL: ExpressionFacts = {
  ...EXAMPLE_PAYLOAD,
  envelope: { ...EXAMPLE_PAYLOAD.envelope, rcpt_to: Array.from({ length: 120 }, () => LONG) },
  headers: {
    ...EXAMPLE_PAYLOAD.headers,
    subject: LONG,
    all: Array.from({ length: 250 }, (_, at) => ({ name: `X-${at}`, value: LONG })),
  },
  attachments: Array.from({ length: 60 }, () => ({
    filename: LONG,
    content_type: LONG,
    size_bytes: 1,
  })),
};

const any = (count: number, text: string): string =>
  Array.from({ length: count }, () => text).join('||');
const list = (count: number, text: string): string =>
  `[${Array.from({ length: count }, () => text).join()}]`;

const SHAPES: Record<string, (count: number) => string> = {
  contains: (count) => any(count, 'subject.contains("zzzzzzzz")'),
  'partial matches': (count) => any(count, `subject.contains("b${'ab'.repeat(9)}b")`),
  'lower case': (count) => any(count, 'subject.lowerAscii()=="x"'),
  size: (count) => any(count, 'subject.size()==1'),
  attachments: (count) => `attachments.exists(a,${any(count, 'a.filename.contains("zz")')})`,
  'sizes of attachments': (count) => `attachments.exists(a,${any(count, 'a.filename.size()==1')})`,
  'missing headers': (count) => any(count, 'headers["q"]==""'),
  'missing headers in a loop': (count) => `${list(count, '1')}.exists(i,headers["q"]=="")`,
  divisions: (count) => `${list(count, '0')}.exists(i,1/i==1)`,
  headers: (count) => `headers.exists(h,${any(count, 'headers[?h].orValue("")=="z"')})`,
  recipients: (count) => `envelope.rcpt_to.exists(r,${any(count, 'r.contains("zz")')})`,
  membership: (count) => any(count, '"x" in envelope.rcpt_to'),
  'nested loops': (count) =>
    `attachments.exists(a,${list(count, '"zz"')}.exists(e,a.filename.endsWith(e)))`,
};

test.each(Object.entries(SHAPES))('%s: less than 2 ms', (_name, shape) => {
  const allowed = Array.from(
    { length: 100 },
    (_, at) => compileExpression(shape(at + 1)).expression,
  )
    .filter((one) => one !== null)
    .at(-1);
  if (allowed === undefined) throw new Error('even the shortest is refused');
  const times = Array.from({ length: 200 }, () => {
    const startedAt = performance.now();
    allowed.evaluate(variablesOf(EMAIL));
    return performance.now() - startedAt;
  }).toSorted((one, other) => one - other);
  expect(times[100]).toBeLessThan(atMost(MAX_MS)); // other processes may delay some of them
});
