/**
 * What an evaluation takes is counted while it runs: every function and operator is measured on the
 * longest texts and lists, and one that takes too much ends as exhausted.
 */
import { describe, expect, test } from 'vitest';

import { FUNCTIONS, LOOPS, METHODS } from '../../../services/core/expression/allowed.ts';
import { SEEN_MAX, TEXT_MAX_CHARS } from '../../../services/core/expression/content-bounds.ts';
import {
  compileExpression,
  createEnvironment,
  type Expression,
} from '../../../services/core/expression/expression.ts';
import { UNITS_MAX } from '../../../services/core/expression/metering.ts';
import { senderLists } from '../../../services/core/expression/sender-list.ts';
import { containsText } from '../../../services/core/expression/text-search.ts';
import { type ExpressionFacts, variablesOf } from '../../../services/core/expression/variables.ts';
import { EXAMPLE_PAYLOAD } from '../../../services/core/webhook/example.ts';
import { leastCpuMs } from '../../support/cpu-time.ts';
import { fc, runs, seed } from '../../support/random.ts';
import { atMost } from '../../support/slowdown.ts';

/** The slowest takes 33 ms: the units of each function are about what it takes. */
const EVALUATION_MAX_MS = 100;

const full = (text: string): string =>
  text.repeat(Math.ceil(TEXT_MAX_CHARS / text.length)).slice(0, TEXT_MAX_CHARS);
const EVIL_PATTERN = `${'a'.repeat(999)}b${'a'.repeat(500)}`;
/** A reader of texts is slowest on one of these. */
const TEXTS = {
  plain: full('ab'),
  equal: full('a'),
  wide: full('\u{1f600}'),
  mixed: full('aÜ'),
  domain: `a@${'a.'.repeat(125)}example`,
  dots: full('.'),
};
const NETWORKS = [
  ...Array.from({ length: 128 }, (_, at) => `2001:db8::/${at + 1}`),
  ...Array.from({ length: 32 }, (_, at) => `10.0.0.0/${at + 1}`),
];

const factsWith = (text: string): ExpressionFacts => ({
  ...EXAMPLE_PAYLOAD,
  envelope: {
    ...EXAMPLE_PAYLOAD.envelope,
    rcpt_to: Array.from({ length: SEEN_MAX.recipients }, () => text),
  },
  headers: {
    ...EXAMPLE_PAYLOAD.headers,
    subject: text,
    cc: TEXTS.equal,
    all: [
      { name: 'X-Evil', value: EVIL_PATTERN },
      ...Array.from({ length: SEEN_MAX.headers - 1 }, (_, at) => ({
        name: `X-${at}`,
        value: text,
      })),
    ],
  },
  attachments: Array.from({ length: SEEN_MAX.attachments }, () => ({
    filename: text,
    content_type: text,
    size_bytes: 1,
  })),
  tags: Array.from({ length: 20 }, (_, at) => `${'t'.repeat(48)}${at}`),
  lists: senderLists(new Map([['p', new Set(['*.partner.example', 'a@b.example', ...NETWORKS])]])),
});

/** Each in a condition that does not end early. */
const CALLS: Readonly<Record<string, string>> = {
  startsWith: 'cc.startsWith(subject)&&false',
  endsWith: 'cc.endsWith(subject)&&false',
  contains: 'cc.contains(headers[?"x-evil"].orValue(""))',
  'contains of a constant': `subject.contains("b${'a'.repeat(240)}")`,
  'contains of a short one': 'cc.contains("ac")',
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
  'in networks': 'envelope.remote_ip in lists.p',
  'in a list that a loop names': '[lists.p].exists(l,subject in l||subject in l)',
  'a header that is missing': 'headers["q"]==""',
  'a missing header of a long name': 'headers[subject]==""',
  division: '1/0==1',
  arithmetic: 'size_bytes*2+1-3==0',
  comparison: 'subject<"a"',
  equality: 'cc==subject&&false',
  'lists of an unknown type':
    'attachments[?0].zz.orValue(tags.filter(t,true))!=attachments[?0].zz.orValue(tags.filter(t,true))',
  exists: 'envelope.rcpt_to.exists(r,r=="x")',
  all: '!envelope.rcpt_to.all(r,r!="x")',
  exists_one: 'envelope.rcpt_to.exists_one(r,r=="x")',
  filter: 'envelope.rcpt_to.filter(r,r!="x").size()==1',
  ...Object.fromEntries(
    METHODS.filter((name) => name.startsWith('get')).map((name) => [name, `date.${name}()==99`]),
  ),
};

const compiled = (text: string): Expression => {
  const { expression, error } = compileExpression(text);
  if (expression === null) throw new Error(`${text}: ${error.message}`);
  return expression;
};
const any = (count: number, call: string) => Array.from({ length: count }, () => call).join('||');

/** Next to each other, and in the longest loops. */
const shapesOf = (call: string): string[] => [
  any(6, call),
  `headers.exists(h,attachments.exists(a,${any(3, call)}))`,
];

describe('counted while it runs', () => {
  test.each(Object.entries(CALLS))('an evaluation has a bound with %s', (_, call) => {
    for (const [name, text] of Object.entries(TEXTS)) {
      const variables = variablesOf(factsWith(text));
      for (const expression of shapesOf(call).map(compiled)) {
        expression.evaluate(variables); // reads the email
        const took = leastCpuMs(() => expression.evaluate(variables));
        expect(took, `${expression.text} on ${name}`).toBeLessThan(atMost(EVALUATION_MAX_MS));
      }
    }
  });

  test('every function has a measurement', () => {
    const measured = Object.keys(CALLS);
    expect(measured).toEqual(expect.arrayContaining([...METHODS, ...LOOPS, ...FUNCTIONS]));
  });
});

describe('an evaluation that takes too much', () => {
  const LONG = 'headers.exists(h,attachments.exists(a,a.filename.contains("zz")))';
  const EXHAUSTED = {
    value: null,
    error: { message: 'The expression takes too long for this email', position: 0 },
    isExhausted: true,
  };
  test.each([
    ['in loops', LONG],
    ['even where an error would be ignored', `${LONG} || true`],
    ['even where it is the first of two', `true || ${LONG} ? ${LONG} : true`],
    ['in one that counts', `headers.exists_one(h,${LONG})`],
    ['of errors', 'headers.exists(h,attachments.exists(a,headers["q"]==""))||true'],
  ])('fails %s', (_, text) => {
    expect(compiled(text).evaluate(variablesOf(factsWith(TEXTS.plain)))).toEqual(EXHAUSTED);
  });

  test('leaves the next one its own units', () => {
    const variables = variablesOf(factsWith(TEXTS.plain));
    expect(compiled(LONG).evaluate(variables)).toEqual(EXHAUSTED);
    expect(compiled('tags.size()==20').evaluate(variables).value).toBe(true);
  });
});

test('an ordinary expression takes a small part of its units', () => {
  const units = { left: UNITS_MAX };
  const text =
    'headers.exists(h, headers[?h].orValue("").contains("unsubscribe")) || ' +
    'attachments.exists(a, [".exe", ".js"].exists(e, a.filename.lowerAscii().endsWith(e)))';
  expect(compiled(text).evaluate(variablesOf(EXAMPLE_PAYLOAD), units).value).toBe(false);
  expect(UNITS_MAX - units.left).toBeLessThan(UNITS_MAX / 1_000);
});

test(`counting changes no result (seed ${seed})`, () => {
  const environment = createEnvironment();
  const text = fc.constantFrom(
    ...'subject|cc|"Order"|""|a|from.domain|headers[?"subject"].orValue("")'.split('|'),
    ...'plus_tag.lowerAscii()|headers["x-none"]|headers["subject"]'.split('|'),
  );
  const condition = fc.letrec<{ condition: string }>((tie) => ({
    condition: fc.oneof(
      { depthSize: 'small' },
      fc
        .tuple(
          text,
          fc.constantFrom('==', '!=', '<', '.contains', '.startsWith', '.endsWith', ' in '),
          text,
        )
        .map(([one, operator, other]) =>
          operator === ' in ' ? `${one} in [${other}, "x"]` : `${one}${operator}(${other})`,
        ),
      fc.constantFrom('1/0==1', 'has(headers.subject)', 'subject in envelope.rcpt_to', 'is_list'),
      fc.tuple(tie('condition'), tie('condition')).map(([one, other]) => `(${one}||${other})`),
      fc.tuple(tie('condition'), tie('condition')).map(([one, other]) => `(${one}&&${other})`),
      tie('condition').map((one) => `!(${one})`),
      fc
        .tuple(
          fc.constantFrom('headers', 'envelope.rcpt_to', '["Order","b"]'),
          fc.constantFrom(...LOOPS),
          tie('condition'),
        )
        .map(
          ([list, loop, one]) => `${list}.${loop}(a,${one})${loop === 'filter' ? '.size()>0' : ''}`,
        ),
    ),
  })).condition;
  fc.assert(
    fc.property(condition, (when) => {
      const { expression } = compileExpression(when);
      if (expression === null) return;
      const parsed = environment.parse(when);
      parsed.check();
      const plain = (): unknown => {
        try {
          return parsed(variablesOf(EXAMPLE_PAYLOAD));
        } catch {
          return null;
        }
      };
      expect(expression.evaluate(variablesOf(EXAMPLE_PAYLOAD)).value).toBe(plain());
    }),
    runs(300),
  );
});

test(`a text is searched as String.includes does (seed ${seed})`, () => {
  const part = fc.string({ unit: fc.constantFrom('a', 'b', '字'), maxLength: 4 });
  const long = fc.array(part, { minLength: 1, maxLength: 400 }).map((parts) => parts.join('a'));
  fc.assert(
    fc.property(long, long, fc.nat(600), fc.nat(900), (text, other, from, length) => {
      for (const pattern of [other, text.slice(from, from + length), `${text.slice(from)}b`])
        expect(containsText(text, pattern)).toBe(text.includes(pattern));
    }),
    runs(200),
  );
});

test('a long pattern is searched in linear time', () => {
  const took = leastCpuMs(() => {
    for (let count = 0; count < 20; count++) containsText(TEXTS.equal, EVIL_PATTERN);
  });
  expect(took / 20).toBeLessThan(atMost(0.4)); // V8 takes 1 ms or more
});
