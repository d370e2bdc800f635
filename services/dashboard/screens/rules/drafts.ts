/**
 * Rules that are changed but not saved. They survive a visit of other screens, and the browser asks
 * before it closes the page.
 */
import { effect, signal } from '@preact/signals';

import type { Rule, RuleRequest } from '../../../core/api/api-types.generated.ts';

/** `base`: the rules that were changed, to notice that others changed them, too. */
type Draft = { rules: readonly RuleRequest[]; base: string };

/** By the id of the account or the address. */
const drafts = signal<Readonly<Record<string, Draft>>>({});

const askFirst = (event: BeforeUnloadEvent) => event.preventDefault();

effect(() => {
  if (Object.keys(drafts.value).length > 0) addEventListener('beforeunload', askFirst);
  else removeEventListener('beforeunload', askFirst);
});

const textOf = (rules: readonly Rule[]): string => JSON.stringify(rules.map(requestOf));

/** Only the action tag has tags. */
const requestOf = ({ name, when, action, tags = [] }: Rule): RuleRequest =>
  action === 'tag' ? { name, when, action, tags } : { name, when, action };

type RulesDraft = {
  rules: readonly RuleRequest[];
  isChanged: boolean;
  /** Whether the saved rules are no longer those that were changed. */
  isOutdated: boolean;
  change: (rules: readonly RuleRequest[]) => void;
  discard: () => void;
};

export function draftOf(owner: string, saved: readonly Rule[]): RulesDraft {
  const draft = drafts.value[owner];
  const base = draft?.base ?? textOf(saved);
  const discard = () => {
    const { [owner]: _, ...others } = drafts.peek();
    drafts.value = others;
  };
  return {
    rules: draft?.rules ?? saved.map(requestOf),
    isChanged: draft !== undefined,
    isOutdated: base !== textOf(saved),
    change: (rules) => {
      if (textOf(rules) === textOf(saved)) discard();
      else drafts.value = { ...drafts.peek(), [owner]: { rules, base } };
    },
    discard,
  };
}
