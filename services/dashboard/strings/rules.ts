/** Texts about rules: of the account, of an address, and what they decided about an email. */
import type { Delivery } from '../../core/api/api-types.generated.ts';

type Ruling = NonNullable<Delivery['ruling']>;
type Evaluated = Ruling['rules'][number];

export const ruleText = {
  title: 'Rules',
  reasons: {
    rule: 'A rule decided about this email.',
    refused_by_rule:
      'A rule refuses this email, but another recipient accepted it. So it is held here.',
    sender_not_allowed:
      'Its author is not among the allowed senders, but another recipient accepted the email. ' +
      'So it is held here.',
    sender_not_checked:
      'Its author could not be authenticated, because DNS did not answer, and another recipient ' +
      'accepted the email. So it is held here.',
  } satisfies Record<NonNullable<Ruling['reason']>, string>,
  tagged: (tags: string) => `Tags: ${tags}`,
  results: {
    matched: 'Matched',
    not_matched: 'No match',
    failed: 'Failed',
  } satisfies Record<Evaluated['result'], string>,
  actions: {
    refuse: 'Refuse',
    drop: 'Drop',
    hold: 'Hold',
    tag: 'Tag',
  } satisfies Record<Evaluated['action'], string>,
  scopes: { account: 'account', address: 'address' } satisfies Record<Evaluated['scope'], string>,
  actionOf: ({ action, scope }: Evaluated): string =>
    `${ruleText.actions[action]} · ${ruleText.scopes[scope]}`,
  emptyValue: '(empty)',
};
