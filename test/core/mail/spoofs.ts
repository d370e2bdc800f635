/**
 * A matrix of spoofs and honest emails: what From says, and what DNS proves. For everything that trusts
 * an author (D54, D55).
 */
import type { senderDecision } from '../../../services/core/mail/allowed-senders.ts';
import type { Authentication } from '../../../services/core/mail/authentication.ts';

export const LIST = [
  'partner.example',
  'ann@supplier.example',
  '*.group.example',
  'bücher.example',
];

type Outcome = ReturnType<typeof senderDecision>;

/** Fields of From, each a header of its own. */
export const headersOf = (...from: string[]) => ({
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

type Evidence = Omit<Partial<Authentication>, 'dmarc'> & { dmarc?: object };

/**
 * What DNS says, without the domain of From; the outcome for a listed author; and that where forwarders
 * (ARC) are accepted, if it is another.
 */
const EVIDENCE: Record<string, [Evidence, Outcome, withForwarders?: Outcome]> = {
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
    'allowed',
  ],
  'DMARC fail, a seal that DNS could not check': [
    { dmarc: { result: 'fail' }, arc: { result: 'temperror', chain: [], reason: null } },
    'refused',
    'later',
  ],
  'DMARC fail, a broken seal': [
    { dmarc: { result: 'fail' }, arc: { result: 'fail', chain: [], reason: null } },
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
  'two at signs': [['ann@partner.example@evil.test'], 'evil.test', false],
  'a route': [['<@evil.test:ann@partner.example>'], 'partner.example', false],
  'an encoded display name': [
    ['=?utf-8?q?ann=40partner=2Eexample?= <m@evil.test>'],
    'evil.test',
    false,
  ],
  'a digit for a letter': [['x@partner.examp1e'], 'partner.examp1e', false],
  'two letters that look like one': [['x@partrner.example'], 'partrner.example', false],
  'a hyphen for a dot': [['x@partner-example.test'], 'partner-example.test', false],
  'an invisible character': [['x@part\u200Bner.example'], 'part\u200Bner.example', false],
  'another top-level domain': [['ann@supplier.test'], 'supplier.test', false],
  'no From': [[], null, false],
  'another domain for DMARC': [['ann@partner.example'], 'evil.test', false],
};

/** DMARC sees another domain. UTS 46 ignores the invisible character, as a client would. */
const CLAIMS_ONLY = new Set(['another domain for DMARC', 'an invisible character']);

export type Cell = {
  title: string;
  email: { authentication: Authentication; headers: ReturnType<typeof headersOf> };
  isListed: boolean;
  /** Whether From alone names a listed author. */
  claimsListed: boolean;
  /** For a listed author. */
  proof: Outcome;
  proofWithForwarders: Outcome;
};

export const CELLS: Cell[] = Object.entries(AUTHORS).flatMap(([author, [from, domain, isListed]]) =>
  Object.entries(EVIDENCE).map(([evidence, [{ dmarc = {}, ...rest }, proof, withForwarders]]) => ({
    title: `${author}, ${evidence}`,
    email: {
      authentication: { ...NONE, ...rest, dmarc: { ...NONE.dmarc, domain, ...dmarc } },
      headers: headersOf(...from),
    },
    isListed,
    claimsListed: isListed || CLAIMS_ONLY.has(author),
    proof,
    proofWithForwarders: withForwarders ?? proof,
  })),
);
