/** The steps that turn a SenderList resource into a list of senders. */
import { expect, test } from 'vitest';

import {
  type SenderListFacts,
  senderListStep,
} from '../../../services/core/kube/sender-list-resource.ts';
import { SenderListSpec } from '../../../services/core/kube/spec/sender-list-spec.ts';
import type { SenderListRecord } from '../../../services/core/list/sender-list.ts';

const NOW = new Date('2026-11-22T12:00:00Z');

const record = (fields: Partial<SenderListRecord> = {}): SenderListRecord => ({
  id: 'lst_1',
  account_id: 'acc_1',
  name: 'partners',
  description: null,
  entries: ['a.example', 'b.example'],
  created_at: NOW,
  updated_at: NOW,
  ...fields,
});
const facts = ({
  spec = {},
  ...given
}: Omit<Partial<SenderListFacts>, 'spec'> & { spec?: object } = {}): SenderListFacts => ({
  spec: SenderListSpec.parse({
    accountRef: { name: 'shop' },
    name: 'partners',
    entries: ['B.example', 'a.example'],
    ...spec,
  }),
  accountId: 'acc_1',
  record: record(),
  ...given,
});
const settled = (reason: string) => ({ kind: 'settled', verdict: { reason } });

test.each<[what: string, facts: SenderListFacts, expected: object]>([
  ['one that agrees with its resource', facts(), settled('Ready')],
  ['no account', facts({ accountId: undefined }), settled('AccountNotReady')],
  ['an entry that is no sender', facts({ spec: { entries: ['a b'] } }), settled('InvalidEntries')],
  [
    'none yet',
    facts({ record: undefined, spec: { description: 'who' } }),
    {
      kind: 'create',
      requested: { name: 'partners', entries: ['a.example', 'b.example'], description: 'who' },
    },
  ],
  ['one of another account', facts({ accountId: 'acc_2' }), settled('NotOurs')],
  ['one of another name', facts({ record: record({ name: 'other' }) }), settled('NotOurs')],
  [
    'other entries',
    facts({ spec: { entries: ['c.example'] } }),
    { kind: 'change', change: { entries: ['c.example'] } },
  ],
  [
    'no entries and no description',
    facts({ spec: { entries: undefined }, record: record({ description: 'who' }) }),
    { kind: 'change', change: { entries: [], description: null } },
  ],
])('%s', (_, given, expected) => {
  expect(senderListStep(given)).toMatchObject(expected);
});
