/** The demo of `npm start -- --demo`: what it sends, and how its receivers behave. */
import { expect, test } from 'vitest';

import { demoAnswer } from '../../services/standalone/demo/demo.ts';
import { DEMO_ADDRESSES, demoMails } from '../../services/standalone/demo/demo-mails.ts';

test('forty emails, several to each address', () => {
  const mails = demoMails();
  expect(mails).toHaveLength(40);
  for (const { name } of DEMO_ADDRESSES)
    expect(mails.filter(({ to }) => to === name).length).toBeGreaterThan(1);
});

test('receivers of the demo behave as their address says; others respond with 200', () => {
  expect(demoAnswer('/demo/broken')).toEqual({ status: 500 });
  expect(demoAnswer('/demo/slow')?.afterMs).toBeGreaterThan(0);
  for (const path of ['/', '/demo/', '/demo/toString', '/broken'])
    expect(demoAnswer(path)).toBeUndefined();
});
