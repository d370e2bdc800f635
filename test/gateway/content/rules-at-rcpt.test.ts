/** Rules at RCPT: what the thread does not decide in time is decided at the end of DATA. */
import { expect, test } from 'vitest';

import type { Recipient } from '../../../services/core/address/recipient.ts';
import { ruleRefused } from '../../../services/core/smtp/smtp-reply.ts';
import type { ContentQueue } from '../../../services/gateway/content/content-queue.ts';
import { createRulesAtRcpt } from '../../../services/gateway/content/rules-at-rcpt.ts';
import { createSendLists } from '../../../services/gateway/content/shared-lists.ts';

const KNOWN = {
  mailFrom: 'ann@partner.example',
  heloDomain: '',
  remoteIp: '192.0.2.1',
  tlsVersion: '',
  named: 'orders@in.example',
};
const withRule = (when: string, account_id = 'acc_1') =>
  ({ id: 'addr_1', account_id, rules: [{ name: 'x', when, action: 'refuse' }] }) as Recipient;
const BY_CONNECTION = withRule('tls.version == ""');

/** @param answer of the thread; undefined for none, ever */
function start(answer?: () => unknown) {
  let asked = 0;
  const run = (() => {
    asked += 1;
    return answer ? Promise.resolve().then(answer) : new Promise(() => undefined);
  }) as ContentQueue['run'];
  return { rulesAtRcpt: createRulesAtRcpt(run, createSendLists()), asked: () => asked };
}

test('the thread is asked for rules that read the connection, and for no others', async () => {
  const { rulesAtRcpt, asked } = start(() => ruleRefused);
  expect(await rulesAtRcpt(BY_CONNECTION, KNOWN)).toBe(ruleRefused);
  expect(await rulesAtRcpt(withRule('subject == "x"'), KNOWN)).toBeUndefined();
  expect(asked()).toBe(1);
});

test.each([
  ['gives no answer', undefined],
  ['ends', () => Promise.reject(new Error('worker thread ended: timeout'))],
])('after a thread that %s, the account is not asked about for a while', async (_, answer) => {
  const { rulesAtRcpt, asked } = start(answer);
  expect(await rulesAtRcpt(BY_CONNECTION, KNOWN)).toBeUndefined();
  expect(await rulesAtRcpt(BY_CONNECTION, KNOWN)).toBeUndefined();
  expect(asked()).toBe(1);
  await rulesAtRcpt(withRule('tls.version == ""', 'acc_2'), KNOWN);
  expect(asked()).toBe(2);
});
