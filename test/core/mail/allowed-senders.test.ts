/** Whose email an address with `allowed_senders` accepts: a matrix of spoofs (D54). */
import { expect, test } from 'vitest';

import { UNKNOWN } from '../../../services/core/mail/authentication.ts';
import {
  AllowedSenders,
  senderDecision,
  storedAllowedSenders,
} from '../../../services/core/mail/allowed-senders.ts';
import { type Cell, CELLS, headersOf, LIST } from './spoofs.ts';

type Switches = { require_authenticated?: boolean; accept_forwarded?: boolean };
type Outcome = ReturnType<typeof senderDecision>;

test.each<[string, Switches, (cell: Cell) => Outcome]>([
  ['', {}, ({ isListed, proof }) => (isListed ? proof : 'refused')],
  [
    ' with accept_forwarded',
    { accept_forwarded: true },
    ({ isListed, proofWithForwarders }) => (isListed ? proofWithForwarders : 'refused'),
  ],
  [
    ' without require_authenticated: From alone counts, and only From',
    { require_authenticated: false },
    ({ claimsListed }) => (claimsListed ? 'allowed' : 'refused'),
  ],
])(`a matrix of ${CELLS.length} spoofs and honest emails%s`, (_, switches, expected) => {
  expect(CELLS.length).toBeGreaterThan(500);
  const list = storedAllowedSenders({ senders: LIST, ...switches });
  const found = CELLS.map(({ title, email }) => [title, senderDecision(list, email)]);
  expect(found).toEqual(CELLS.map((cell) => [cell.title, expected(cell)]));
});

test('where nobody is authenticated, nobody is proven', () => {
  const facts = { authentication: undefined, headers: headersOf('ann@partner.example') };
  const decideWith = (switches: Switches) =>
    senderDecision(storedAllowedSenders({ senders: LIST, ...switches }), facts);
  expect(decideWith({})).toBe('refused');
  expect(decideWith({ require_authenticated: false })).toBe('allowed');
});

test('a domain with characters without width is that domain, but not proven to be it', () => {
  const spelled = 'part\u200bner.example';
  const decideWith = (switches: Switches, domain: string) =>
    senderDecision(storedAllowedSenders({ senders: LIST, ...switches }), {
      authentication: { ...UNKNOWN, dmarc: { ...UNKNOWN.dmarc, result: 'pass', domain } },
      headers: headersOf(`ann@${spelled}`),
    });
  expect(decideWith({ require_authenticated: false }, spelled)).toBe('allowed');
  expect(decideWith({}, spelled)).toBe('refused');
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
