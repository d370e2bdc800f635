/** Texts about rules: of the account, of an address, and what they decided about an email. */
import type { Delivery, RulesComparison } from '../../core/api/api-types.generated.ts';
import { screenTitles } from './screens.ts';

type Ruling = NonNullable<Delivery['ruling']>;
type Hook = NonNullable<Ruling['hook']>;
type Evaluated = Ruling['rules'][number];
type Decision = RulesComparison['data'][number]['after'];

export const ruleText = {
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
    `${ruleText.actions[action]} · ${ruleText.scopes[scope]}`,
  hook: 'Hook',
  hookDecisions: {
    accept: 'Accept',
    refuse: 'Refuse',
    defer: 'Defer',
    hold: 'Hold',
    drop: 'Drop',
  } satisfies Record<Hook['decision'], string>,
  hookDecided: ({ decision, duration_ms }: Hook): string =>
    `${ruleText.hookDecisions[decision]} · ${duration_ms} ms`,
  hookFailed: ({ decision, error }: Hook): string =>
    `No valid answer: ${error}. So its on_error decided: ${ruleText.hookDecisions[decision].toLowerCase()}.`,
  emptyValue: '(empty)',

  ofAccount: 'Rules of the account',
  ofAccountHint: 'For email to all addresses, before the rules of each address.',
  ofAddress: screenTitles.addressRules,
  ofAddressHint: 'They follow the rules of the account.',
  edit: 'Edit the rules',
  show: 'Show the rules',
  none: 'No rules yet.',
  order:
    'Rules are evaluated from top to bottom. The first one that matches and does not tag decides.',
  name: 'Name',
  nameHint: 'Shown with the emails about which the rule decides.',
  action: 'Action',
  actionChoices: {
    hold: 'Hold: accept it, and wait until you release it',
    drop: 'Drop: accept it, and send no webhook',
    refuse: 'Refuse: the sender gets 550',
    tag: 'Tag: add tags, and go on with the next rule',
  } satisfies Record<Evaluated['action'], string>,
  tags: 'Tags',
  tagsHint: 'Lower-case letters, digits, - and _; separated by spaces.',
  add: 'Add a rule',
  full: (most: number) => `There are at most ${most} rules.`,
  editTitle: 'Edit the rule',
  submit: 'Add the rule',
  apply: 'Apply',
  cancel: 'Cancel',
  editOne: 'Edit',
  removeOne: 'Delete',
  up: 'Move up',
  down: 'Move down',
  moved: (name: string, place: string, count: string) => `${name} is now rule ${place} of ${count}`,
  every: 'Every email',
  not: 'Not:',
  save: 'Save the rules',
  saved: 'Rules saved',
  unsaved: 'Not saved yet.',
  discard: 'Discard the changes',
  changedElsewhere: 'The rules were changed elsewhere since you began. Saving replaces them.',
  fields: { name: 'Name', when: 'Condition', action: 'Action', tags: 'Tags' } as Record<
    string,
    string
  >,

  conditionsOf: 'Conditions',
  all: 'All of them must be met.',
  noConditions: 'No condition: every email.',
  if: 'If',
  ifNot: 'If not',
  ifLabel: (place: number) => `If or if not ${place}`,
  condition: (place: number) => `Condition ${place}`,
  value: (place: number) => `Value ${place}`,
  addCondition: 'Add a condition',
  removeCondition: (place: number) => `Remove condition ${place}`,
  asText: 'Write it in CEL',
  asForm: 'Use the form',
  chooseList: 'Choose a list',
  expression: 'Condition in CEL',
  needsCondition: 'Write a condition; true is every email.',
  expressionHint: 'The docs list its variables and functions under Filters.',
  conditions: {
    senderInList: 'The sender is in the list',
    senderDomain: 'The sender is at this domain',
    senderAddress: 'The sender is this address',
    notAuthenticated: 'The sender is not authenticated',
    fromDomain: 'From names this domain (anybody can)',
    fromAddress: 'From names this address (anybody can)',
    dmarc: 'DMARC has passed',
    subject: 'The subject contains',
    recipient: 'It is to this recipient',
    plusTag: 'The plus tag is',
    attachment: 'It has an attachment',
    fileName: 'An attachment’s name ends with',
    larger: 'It is larger than (MiB)',
    largerInBytes: 'It is larger than (bytes)',
    spam: 'It is spam',
    spamScore: 'The spam score is above',
    tagged: 'An earlier rule added the tag',
    program: 'A program sent it',
    list: 'A mailing list sent it',
    bounce: 'It is a delivery report',
  },

  try: 'Try on the last 100 emails',
  trying: 'Trying …',
  tried: 'On the last emails',
  noEmails: 'No email has arrived yet, or none is still stored.',
  wouldChange: (changed: string, tested: string) =>
    `${changed} of ${tested} emails would be treated differently.`,
  notInIt:
    'Emails that were refused are not stored, so they are not among them. Nothing was changed.',
  notStored: (count: string) => `${count} emails are no longer stored.`,
  notReached: (count: string) => `For ${count} emails there was no time.`,
  matchedOf: (matched: string, evaluated: string) => `matches ${matched} of ${evaluated}`,
  failedOn: (count: string) => `fails on ${count}`,
  columns: {
    email: 'Email',
    from: 'From',
    received: 'Received',
    before: 'Was',
    after: 'Would be',
  },
  decisions: {
    refuse: 'Refused',
    drop: 'Dropped',
    hold: 'Held',
    deliver: 'Delivered',
    later: 'Deferred (451)',
  } satisfies Record<Decision['action'], string>,
  changes: 'Emails that would be treated differently',
};
