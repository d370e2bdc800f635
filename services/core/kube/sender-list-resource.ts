/** The next step for a SenderList resource. */
import { changedFields } from '../resource/changed-fields.ts';
import { fromSpec } from '../resource/spec.ts';
import { changedEntries, SENDER_LIST, type SenderListNoun } from '../list/sender-list.ts';
import { ready } from './condition.ts';
import { type OwnedFacts, ownedStep, type OwnedStep, refused } from './owned-step.ts';
import type { SenderListSpec } from './spec/sender-list-spec.ts';

export type SenderListFacts = OwnedFacts<SenderListSpec, SenderListNoun['Record']>;

export function senderListStep(facts: SenderListFacts): OwnedStep<SenderListNoun> {
  const normalized = changedEntries([], { entries: facts.spec.entries });
  if ('invalid' in normalized)
    return refused(
      'InvalidEntries',
      `${normalized.invalid} is not an address, a domain, a domain after *., or a network`,
    );
  const wanted = { ...fromSpec(SENDER_LIST.fields, facts.spec), ...normalized };
  const { name, ...changeable } = wanted;
  return ownedStep<SenderListNoun>(facts, {
    fixed: { name },
    notOurs: 'a list of another account or name behind; deleting this resource deletes that list',
    requested: wanted,
    changeOf: (record) => changedFields(record, changeable),
    verdictOf: () => ready('Ready', `rules and filters name it: lists.${name}`),
  });
}
