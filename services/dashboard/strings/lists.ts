/** Texts about lists of senders. */
import { screenTitles } from './screens.ts';

export const listText = {
  title: screenTitles.lists,
  one: screenTitles.list,
  list: 'Lists of senders, by name',
  columns: { name: 'Name', description: 'Description', entries: 'Entries', changed: 'Changed' },
  emptyTitle: 'No list yet',
  emptyText:
    'Rules and filters name a list of senders, such as your partners, and it is changed here.',
  create: 'New list',
  name: 'Name',
  nameHint: 'Lower-case letters, digits and _. Expressions name it: sender in lists.partners.',
  namePlaceholder: 'partners',
  description: 'Description',
  submit: 'Create the list',
  created: 'List created. Add its entries',
  expression: (name: string) => `sender in lists.${name}`,
  expressionName: 'the expression',
  inExpressions: 'In expressions',
  createdAt: 'Created',
  changedAt: 'Changed',
  entryCount: (count: string) => `${count} entries`,
  entries: 'Entries',
  entriesHint:
    'One address (ann@partner.example), domain (partner.example), domain with its subdomains ' +
    '(*.partner.example), IP address or network (203.0.113.0/24) on each line.',
  notASender: (entry: string) =>
    `“${entry}” is not an address, a domain, a domain after *., or a network`,
  import: 'Add those of a file',
  importHint: 'A text file with one entry on each line. # begins a comment.',
  imported: (count: string) => `${count} entries read. Save the list`,
  tooLarge: 'The file is larger than a list can be',
  export: 'Export',
  save: 'Save',
  saved: 'List saved',
  remove: 'Delete',
  removed: 'List deleted',
  removeTitle: 'Delete this list?',
  removeText: (name: string) =>
    `Rules and filters that name lists.${name} fail from then on: a rule that fails does nothing, ` +
    'and a filter that fails counts as true.',
};
