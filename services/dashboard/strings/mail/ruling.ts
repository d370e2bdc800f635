/** Texts about what the rules and the hook decided about an email. */
import type { Delivery } from '../../../core/api/api-types.generated.ts';

type Ruling = NonNullable<Delivery['ruling']>;
type Hook = NonNullable<Ruling['hook']>;
type Evaluated = Ruling['rules'][number];

const ELSEWHERE = ', but another recipient accepted it. So it is ';
const HELD_INSTEAD = `${ELSEWHERE}held here.`;

export const rulingText = {
  title: 'What decided',
  reasons: {
    rule: 'A rule decided about this email.',
    refused_by_rule: `A rule refuses this email${HELD_INSTEAD}`,
    infected: `It contains malware${HELD_INSTEAD} A release delivers the malware.`,
    sender_not_allowed: `Its author is not allowed${HELD_INSTEAD}`,
    sender_not_checked: `DNS did not answer, so its author is not proven${HELD_INSTEAD}`,
    cut: 'A rule read a text or a list that is longer than rules see.',
    not_evaluated:
      'A rule or filter took too much time for this email, or for all emails of this minute.',
    attachment_not_allowed: `One of its attachments is not allowed${HELD_INSTEAD}`,
    hook: 'Your hook decided about this email.',
    refused_by_hook: `Your hook refuses this email${HELD_INSTEAD}`,
    deferred_by_hook: `Your hook deferred this email${HELD_INSTEAD}`,
  } satisfies Record<NonNullable<Ruling['reason']>, string>,
  refusedAlone: `It is spam${ELSEWHERE}delivered.`,
  tagged: (tags: string) => `Tags: ${tags}`,
  /** What it did with the email. A setting that let it pass was asked, too. */
  didOf: ({ action, result, is_built_in }: Evaluated): string => {
    if (result === 'matched') return rulingText.did[action];
    if (result === 'failed') return 'Could not decide';
    return is_built_in ? 'Let it pass' : 'Did not apply';
  },
  did: {
    refuse: 'Refused it',
    drop: 'Dropped it',
    hold: 'Held it',
    tag: 'Tagged it',
  } satisfies Record<Evaluated['action'], string>,
  /** A setting is named as a field. */
  nameOf: ({ name, is_built_in }: Evaluated): string =>
    is_built_in ? name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ') : name,
  actions: {
    refuse: 'Refuse',
    drop: 'Drop',
    hold: 'Hold',
    tag: 'Tag',
  } satisfies Record<Evaluated['action'], string>,
  kindOf: ({ scope, is_built_in }: Evaluated): string =>
    `${is_built_in ? 'Setting' : 'Rule'} of the ${scope}`,
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
