/** docs/filters.md: variables and functions are those of the code, and every example is one. */
import { describe, expect, test } from 'vitest';

import { FUNCTIONS, LOOPS, METHODS } from '../../services/core/expression/allowed.ts';
import { createContentFacts } from '../../services/core/expression/content-facts.ts';
import {
  compileExpression,
  DEPTH_MAX,
  NODES_MAX,
} from '../../services/core/expression/expression.ts';
import { SEEN_MAX, TEXT_MAX_CHARS } from '../../services/core/expression/content-bounds.ts';
import { senderLists } from '../../services/core/expression/sender-list.ts';
import { EMAIL_CPU_MS } from '../../services/core/expression/budget.ts';
import { UNITS_MAX } from '../../services/core/expression/metering.ts';
import { VARIABLES, variablesOf } from '../../services/core/expression/variables.ts';
import { EXAMPLE_PAYLOAD } from '../../services/core/webhook/example.ts';
import { EXPRESSION_MAX_CHARS } from '../../services/core/text/expression-text.ts';
import { UNKNOWN } from '../../services/core/mail/authentication.ts';
import { codeBlocks, readPage } from './pages.ts';

const contentOf = (html: string) =>
  createContentFacts({ ...EXAMPLE_PAYLOAD, text: null, html, mailFrom: '', contentTypes: [] });

const page = await readPage('docs/filters.md');

test('every variable is listed with its type', () => {
  const listed = [...page.text.matchAll(/^\| `([\w.]+)` \| `(.+?)` \|/gm)].map(([, name, type]) => [
    name,
    type,
  ]);
  const defined = Object.entries(VARIABLES).flatMap(([name, type]) =>
    typeof type === 'string'
      ? [[name, type]]
      : Object.entries(type).map(([field, inner]) => [`${name}.${field}`, inner]),
  );
  expect(listed).toEqual(defined);
});

test('every function is named', () => {
  const names = [...METHODS, ...FUNCTIONS, ...LOOPS];
  expect(names.filter((name) => !new RegExp(`\`[^\`]*\\b${name}\\b`).test(page.text))).toEqual([]);
});

test('every bound is listed', () => {
  const bounds = [
    EXPRESSION_MAX_CHARS,
    NODES_MAX,
    DEPTH_MAX,
    UNITS_MAX,
    EMAIL_CPU_MS,
    TEXT_MAX_CHARS,
    ...Object.values(SEEN_MAX),
  ];
  const section = page.text.split('## Bounds')[1] ?? '';
  const missing = bounds.filter((bound) => !section.includes(bound.toLocaleString('en-US')));
  expect(missing).toEqual([]);
});

describe('the examples', () => {
  const facts = {
    ...EXAMPLE_PAYLOAD,
    envelope: { ...EXAMPLE_PAYLOAD.envelope, rcpt_to: ['sales@in.example.com'] },
    headers: {
      ...EXAMPLE_PAYLOAD.headers,
      from: '"Ann" <ann@partner.example>',
      subject: 'Your Invoice',
      all: [
        { name: 'From', value: '"Ann" <ann@partner.example>' },
        { name: 'List-Id', value: '<news.example.com>' },
      ],
    },
    attachments: [{ filename: 'A.PDF', content_type: 'application/pdf', size_bytes: 9 }],
    content: { size_bytes: 6_000_000 },
    authentication: {
      ...UNKNOWN,
      dmarc: { ...UNKNOWN.dmarc, result: 'pass' as const, domain: 'partner.example' },
    },
    virus: { verdict: 'clean' as const, name: null, scanner: 'clamd' as const, attachments: [] },
    plus_tag: 'billing',
    metadata: { received_at: '2026-11-23T09:00:00Z' }, // a Monday
    tlsVersion: '1.3',
    lists: senderLists(new Map([['relays', new Set(['192.0.2.0/24'])]])),
    contentFacts: contentOf('<p>Hi</p>'),
  };
  const examples = codeBlocks(page).filter(({ language }) => language === 'cel');

  test('are thirteen', () => {
    expect(examples).toHaveLength(13);
  });

  test.each(examples.map(({ code }) => code.trim()))('%s', (code) => {
    const { expression } = compileExpression(code);
    expect(expression?.evaluate(variablesOf(facts))).toEqual({ value: true, error: null });
    const other = {
      ...facts,
      virus: undefined,
      tlsVersion: '',
      contentFacts: contentOf('<p hidden>Hi</p>'),
      plus_tag: null,
      attachments: [],
      is_bounce: true,
      content: { size_bytes: 1 },
      envelope: { ...facts.envelope, rcpt_to: [] },
      headers: { ...facts.headers, from: null, subject: null, all: [] },
      metadata: { received_at: '2026-11-22T09:00:00Z' },
    };
    expect(expression?.evaluate(variablesOf(other))).toEqual({ value: false, error: null });
  });
});
