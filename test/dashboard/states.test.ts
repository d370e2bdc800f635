/** Each state has the same name in the dashboard, the API and docs/glossary.md. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { STATUS_FILTERS } from '../../services/core/delivery/delivery-view.ts';
import { emailText } from '../../services/dashboard/strings/mail/email.ts';
import { mailText } from '../../services/dashboard/strings/mail/mail.ts';

const GLOSSARY = join(import.meta.dirname, '../../docs/glossary.md');

test('the glossary has each state, with the word of the dashboard', async () => {
  const rows = (await readFile(GLOSSARY, 'utf8')).matchAll(/^\| `(\w+)` \| (\w+) \|/gm);
  const words = Object.fromEntries([...rows].map(([, state = '', word]) => [state, word]));
  expect(Object.keys(words).toSorted()).toEqual([...STATUS_FILTERS].toSorted());
  expect(words).toEqual(mailText.states);
});

test('the timeline names what became of an email by the same words', () => {
  expect(emailText.handled.held.title).toBe(mailText.states.held);
  expect(emailText.handled.dropped.title).toBe(mailText.states.dropped);
});
