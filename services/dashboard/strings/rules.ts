/** Texts about rules, of the account and of an address. */
import type { Delivery } from '../../core/api/api-types.generated.ts';
import { screenTitles } from './screens.ts';

type Ruling = NonNullable<Delivery['ruling']>;
type Evaluated = Ruling['rules'][number];

export const ruleText = {
  title: screenTitles.rules,
  ofAccount: 'Rules of the account',
  ofAccountHint:
    'For email to all addresses. Each address can have rules of its own, which follow: see its page.',
  ofAddress: screenTitles.addressRules,
  ofAddressHint: 'They follow the rules of the account.',
  edit: 'Edit the rules',
  show: 'Show the rules',
  none: 'No rules here.',
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
  agents: 'Rules for agents',
  agentsHint:
    'Three rules for an address that a program reads, such as a language model. They hold email whose ' +
    'sender is not proven or not on your list, and email with text that a person does not see. The ' +
    'page of a held email says which.',
  agentsList: 'The senders who get through',
  agentsNeedList: 'Create a list of senders first, and choose it here.',
  agentsAdd: 'Add the rules',
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
  expressionHint:
    'Usual variables: sender, subject, from.domain, hidden_text.present, first_seen, tls.version. The ' +
    'docs list all of them, and the functions, under Filters.',
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
    firstSeen: 'The sender was never delivered here before',
    hiddenText: 'It has text that a person does not see',
    mismatchedLinks: 'A link shows another site than it opens',
    forwarded: 'It is forwarded',
    noTls: 'It arrived without TLS',
  },
};
