/** Whose email an address with `allowed_senders` accepts: a matrix of spoofs (D54). */
import { expect, test } from 'vitest';

import {
  AllowedSenders,
  senderDecision,
  storedAllowedSenders,
} from '../../../services/core/mail/allowed-senders.ts';
import type { Authentication } from '../../../services/core/mail/authentication.ts';

const LIST = ['partner.example', 'ann@supplier.example', '*.group.example', 'bücher.example'];

type Outcome = ReturnType<typeof senderDecision>;
type Switches = { require_authenticated?: boolean; accept_forwarded?: boolean };

/** Fields of From, each a header of its own. */
const headersOf = (...from: string[]) => ({
  from: from[0] ?? null,
  all: from.map((value) => ({ name: 'From', value })),
});

const NONE: Authentication = {
  spf: { result: 'none', domain: null, reason: null },
  dkim: [],
  dmarc: {
    result: 'none',
    domain: null,
    policy: null,
    alignment: { spf: false, dkim: false },
    override: null,
    reason: null,
  },
  arc: { result: 'none', chain: [], reason: null },
  iprev: { result: 'pass', name: null },
};
const signature = (result: Authentication['dkim'][number]['result'], aligned: boolean) => ({
  result,
  aligned,
  domain: aligned ? 'partner.example' : 'evil.test',
  selector: 's',
  reason: null,
});

/** What DNS says, without the domain of From. The second is the outcome for a listed author. */
const EVIDENCE: Record<
  string,
  [Omit<Partial<Authentication>, 'dmarc'> & { dmarc?: object }, Outcome]
> = {
  'DMARC pass by SPF': [
    {
      spf: { result: 'pass', domain: 'partner.example', reason: null },
      dmarc: { result: 'pass', alignment: { spf: true, dkim: false } },
    },
    'allowed',
  ],
  'DMARC pass by DKIM': [{ dkim: [signature('pass', true)], dmarc: { result: 'pass' } }, 'allowed'],
  'no DMARC record, aligned DKIM': [{ dkim: [signature('pass', true)] }, 'allowed'],
  'no DMARC record, SPF pass': [
    { spf: { result: 'pass', domain: 'partner.example', reason: null } },
    'refused',
  ],
  'SPF pass of another domain': [
    { spf: { result: 'pass', domain: 'evil.test', reason: null }, dmarc: { result: 'fail' } },
    'refused',
  ],
  'DKIM pass of another domain': [
    { dkim: [signature('pass', false)], dmarc: { result: 'fail' } },
    'refused',
  ],
  'a failed DKIM signature': [
    { dkim: [signature('fail', true)], dmarc: { result: 'fail' } },
    'refused',
  ],
  'a weak DKIM key': [{ dkim: [signature('policy', true)], dmarc: { result: 'fail' } }, 'refused'],
  'DMARC fail': [{ dmarc: { result: 'fail', policy: 'none' } }, 'refused'],
  'DMARC permerror': [{ dmarc: { result: 'permerror' } }, 'refused'],
  nothing: [{}, 'refused'],
  'DMARC temperror': [{ dmarc: { result: 'temperror' } }, 'later'],
  'an aligned key that DNS did not give': [{ dkim: [signature('temperror', true)] }, 'later'],
  'another key that DNS did not give': [{ dkim: [signature('temperror', false)] }, 'refused'],
  'DMARC fail, a trusted seal': [
    { dmarc: { result: 'fail', override: { reason: 'trusted_arc', sealer: 'list.test' } } },
    'refused',
  ],
  'DMARC fail, another seal': [
    { dmarc: { result: 'fail' }, arc: { result: 'pass', chain: [], reason: null } },
    'refused',
  ],
};

/** From fields, the domain that DMARC sees there, and whether the author is on the list. */
const AUTHORS: Record<string, [from: string[], domain: string | null, isListed: boolean]> = {
  'a listed domain': [['ann@partner.example'], 'partner.example', true],
  'its capitals': [['Ann <ANN@Partner.EXAMPLE>'], 'partner.example', true],
  'a listed address': [['"Ann, Sales" <ann@supplier.example>'], 'supplier.example', true],
  'a subdomain of a wildcard': [['x@a.b.group.example'], 'a.b.group.example', true],
  'a listed domain in Unicode': [['x@bücher.example'], 'xn--bcher-kva.example', true],
  'another address of that domain': [['bob@supplier.example'], 'supplier.example', false],
  'a subdomain of a listed domain': [['x@mail.partner.example'], 'mail.partner.example', false],
  'the parent of a wildcard': [['x@group.example'], 'group.example', false],
  'a domain that ends like it': [['x@evilpartner.example'], 'evilpartner.example', false],
  'a wildcard without its dot': [['x@evilgroup.example'], 'evilgroup.example', false],
  'a listed domain as a label': [
    ['x@partner.example.evil.test'],
    'partner.example.evil.test',
    false,
  ],
  'a look-alike letter': [['x@pаrtner.example'], 'xn--prtner-4nf.example', false],
  'a listed address as display name': [['"ann@partner.example" <m@evil.test>'], 'evil.test', false],
  'a bare one as display name': [['ann@partner.example <m@evil.test>'], 'evil.test', false],
  'two addresses': [['ann@partner.example, m@evil.test'], null, false],
  'two From fields': [['ann@partner.example', 'm@evil.test'], null, false],
  'a group': [['Partners: ann@partner.example;'], null, false],
  'a second pair of brackets': [['<ann@partner.example> <m@evil.test>'], 'evil.test', false],
  'a quoted local part with the address': [['"ann@partner.example"@evil.test'], 'evil.test', false],
  'a comment': [['m@evil.test (ann@partner.example)'], 'evil.test', false],
  'no From': [[], null, false],
  'another domain for DMARC': [['ann@partner.example'], 'evil.test', false],
};

function decide(from: string[], domain: string | null, evidence: object, switches: Switches = {}) {
  const { dmarc = {}, ...rest } = evidence as { dmarc?: object };
  const authentication = { ...NONE, ...rest, dmarc: { ...NONE.dmarc, domain, ...dmarc } };
  const list = storedAllowedSenders({ senders: LIST, ...switches });
  return senderDecision(list, { authentication, headers: headersOf(...from) });
}

const CELLS = Object.entries(AUTHORS).flatMap(([author, [from, domain, isListed]]) =>
  Object.entries(EVIDENCE).map(([proof, [evidence, outcome]]) => ({
    title: `${author}, ${proof}`,
    run: (switches?: Switches) => decide(from, domain, evidence, switches),
    expected: isListed ? outcome : ('refused' as const),
  })),
);

test(`a matrix of ${CELLS.length} spoofs and honest emails`, () => {
  expect(CELLS.length).toBeGreaterThan(300);
  const found = CELLS.map(({ title, run }) => [title, run()]);
  expect(found).toEqual(CELLS.map(({ title, expected }) => [title, expected]));
});

test('without require_authenticated, From alone counts, and only From', () => {
  const switches = { require_authenticated: false };
  for (const [author, [from, domain, isListed]] of Object.entries(AUTHORS)) {
    const isHonestList = isListed || author === 'another domain for DMARC';
    const decision = decide(from, domain, { dmarc: { result: 'fail' } }, switches);
    expect([author, decision]).toEqual([author, isHonestList ? 'allowed' : 'refused']);
  }
});

const forwarded = (evidence: object) =>
  decide(['ann@partner.example'], 'partner.example', evidence, { accept_forwarded: true });

test('with accept_forwarded, a trusted seal counts, and one that cannot be checked is for later', () => {
  const [seal] = EVIDENCE['DMARC fail, a trusted seal'] ?? [{}];
  expect(forwarded(seal)).toBe('allowed');
  expect(
    forwarded({ dmarc: { result: 'fail' }, arc: { result: 'pass', chain: [], reason: null } }),
  ).toBe('refused');
  expect(
    forwarded({ dmarc: { result: 'fail' }, arc: { result: 'temperror', chain: [], reason: null } }),
  ).toBe('later');
});

test('where nobody is authenticated, nobody is proven', () => {
  const facts = { authentication: undefined, headers: headersOf('ann@partner.example') };
  const decideWith = (switches: Switches) =>
    senderDecision(storedAllowedSenders({ senders: LIST, ...switches }), facts);
  expect(decideWith({})).toBe('refused');
  expect(decideWith({ require_authenticated: false })).toBe('allowed');
});

test('entries are stored in one spelling, once', () => {
  expect(
    storedAllowedSenders({
      senders: ['Ann@BÜCHER.example', '*.A.example.', 'a.example', 'A.Example'],
    }),
  ).toEqual({
    senders: ['ann@xn--bcher-kva.example', '*.a.example', 'a.example'],
    require_authenticated: true,
    accept_forwarded: false,
  });
});

test.each(['localhost', '*', '*.com*', '@partner.example', 'a b.example', '', '*.', 'a@'])(
  'the entry %j is refused',
  (entry) => {
    expect(AllowedSenders.safeParse({ senders: [entry] }).success).toBe(false);
  },
);
