/** Texts about the program that decides about emails of an address. */
export const hookText = {
  title: 'Deciding hook',
  hint: 'A program of yours that accepts, refuses or holds each email before Inlet replies to the sender.',
  ofAccountHint:
    'A program of yours that accepts, refuses or holds email before Inlet replies to the sender. It is ' +
    'asked about addresses without a hook of their own.',
  noneOfAccount: 'The account has no hook.',
  removeFromAccountText:
    'Email to addresses without their own hook is then accepted without asking.',
  none: 'This address has no hook. That of the account is asked, if there is one.',
  add: 'Add a hook',
  edit: 'Edit the hook',
  remove: 'Remove the hook',
  url: 'URL',
  urlHint: 'HTTPS. It answers with {"decision": "accept"}, "refuse", "defer", "hold" or "drop".',
  urlPlaceholder: 'https://example.com/decide',
  when: 'Ask only about email for which',
  all: 'Asked about all email',
  some: 'Asked only about email for which',
  timeout: 'Time for the answer in milliseconds',
  timeoutHint: 'From 100 to 10,000. The sender waits for it.',
  within: (ms: number) => `Answers within ${ms} ms`,
  onError: 'Without a valid answer',
  onErrors: {
    accept: 'deliver the email',
    defer: 'have the sender try again later',
  },
  otherwise: { accept: 'otherwise delivered', defer: 'otherwise tried again later' },
  submit: 'Save the hook',
  saved: 'Hook saved',
  removed: 'Hook removed',
  removeTitle: 'Remove this hook?',
  removeText:
    'Email is then accepted without asking it. The hook of the account applies, if there is one.',
};
