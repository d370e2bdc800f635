/** Texts about what the rules and the hook decided about an email. */
import type { Delivery } from '../../../core/api/api-types.generated.ts';
import { screenTitles } from '../screens.ts';

type Ruling = NonNullable<Delivery['ruling']>;
type Hook = NonNullable<Ruling['hook']>;
type Evaluated = Ruling['rules'][number];

export const rulingText = {
  title: screenTitles.rules,
  reasons: {
    rule: 'A rule decided about this email.',
    refused_by_rule:
      'A rule refuses this email, but another recipient accepted it. So it is held here.',
    infected:
      'It contains malware, but another recipient accepted the email. So it is held here. ' +
      'A release delivers it with the malware.',
    sender_not_allowed:
      'Its author is not among the allowed senders, but another recipient accepted the email. ' +
      'So it is held here.',
    sender_not_checked:
      'Its author could not be authenticated, because DNS did not answer, and another recipient ' +
      'accepted the email. So it is held here.',
    cut: 'A rule read a text or a list that is longer than rules see',
    attachment_not_allowed:
      'This address does not accept one of its attachments, but another recipient accepted the ' +
      'email. So it is held here.',
    hook: 'Your hook decided about this email.',
    refused_by_hook:
      'Your hook refuses this email, but another recipient accepted it. So it is held here.',
    deferred_by_hook:
      'Your hook deferred this email, but another recipient accepted it. So it is held here.',
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
    `${rulingText.actions[action]} · ${rulingText.scopes[scope]}`,
  hook: 'Hook',
  hookDecisions: {
    accept: 'Accept',
    refuse: 'Refuse',
    defer: 'Defer',
    hold: 'Hold',
    drop: 'Drop',
  } satisfies Record<Hook['decision'], string>,
  hookDecided: ({ decision, duration_ms }: Hook): string =>
    `${rulingText.hookDecisions[decision]} · ${duration_ms} ms`,
  hookFailed: ({ decision, error }: Hook): string =>
    `No valid answer: ${error}. So its on_error decided: ${rulingText.hookDecisions[decision].toLowerCase()}.`,
  emptyValue: '(empty)',
};
