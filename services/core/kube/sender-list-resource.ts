/** The next step for a SenderList resource: facts in, one step out, until it is settled. */
import { changedFields, isEmpty } from '../changed-fields.ts';
import { fromSpec } from '../resource/spec.ts';
import {
  changedEntries,
  type NewSenderList,
  SENDER_LIST,
  type SenderListChange,
  type SenderListRecord,
} from '../rules/sender-list-record.ts';
import { notReady, ready, type Verdict } from './condition.ts';
import type { SenderListSpec } from './spec/sender-list-spec.ts';

export type SenderListFacts = {
  spec: SenderListSpec;
  /** The account of the Account resource; undefined while that is missing or not ready. */
  accountId: string | undefined;
  /** The list that this resource owns. */
  record: SenderListRecord | undefined;
};

export type SenderListStep =
  | { kind: 'settled'; verdict: Verdict }
  | { kind: 'create'; accountId: string; asked: NewSenderList }
  | { kind: 'change'; change: SenderListChange };

const settled = (verdict: Verdict): SenderListStep => ({ kind: 'settled', verdict });

export function senderListStep({ spec, accountId, record }: SenderListFacts): SenderListStep {
  const normalized = changedEntries([], { entries: spec.entries });
  if ('invalid' in normalized)
    return settled(
      notReady(
        'InvalidEntries',
        `${normalized.invalid} is not an address, a domain, or a domain after *.`,
      ),
    );
  if (accountId === undefined)
    return settled(
      notReady(
        'AccountNotReady',
        `the Account ${spec.accountRef.name} does not exist in this namespace, or is not ready`,
      ),
    );
  const { name, ...wanted } = { ...fromSpec(SENDER_LIST.fields, spec), ...normalized };
  if (record === undefined) return { kind: 'create', accountId, asked: { name, ...wanted } };
  if (record.account_id !== accountId || record.name !== spec.name)
    return settled(
      notReady(
        'NotOurs',
        'an earlier resource of this name left a list of another account or name behind; deleting ' +
          'this resource deletes that list',
      ),
    );
  const change = changedFields(record, wanted);
  return isEmpty(change)
    ? settled(ready('Ready', `rules and filters name it: lists.${spec.name}`))
    : { kind: 'change', change };
}
