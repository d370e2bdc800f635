/**
 * Each reason of a refusal, from SMTP to all places where somebody looks: the API, the commands, the words
 * of the dashboard, and the log (D316).
 */
import { expect, test } from 'vitest';

import { createAccounts } from '../../../services/adapters/mongo/account/accounts.ts';
import type { Address } from '../../../services/core/address/address.ts';
import { refusalText } from '../../../services/dashboard/strings/refusals.ts';
import { runCommand } from '../../support/inlet-command.ts';
import { dialogue } from '../../support/smtp-play.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { rawMail } from '../../gateway/send-by-hand.ts';
import {
  LISTED_SOURCE,
  proxied,
  SOURCE,
  startRefusalBed,
  UNKNOWN_PER_MINUTE,
} from './refusal-bed.ts';

const bed = await useInFile(startRefusalBed());
const { api, pipeline, db, addressOf } = bed;
const accounts = createAccounts(db);

type How = {
  /** Without From. */
  mail?: string;
  source?: string;
  before?: (address: Address) => Promise<unknown>;
  after?: (address: Address) => Promise<unknown>;
  /** Sends the email instead of `bed.send`. */
  send?: (address: string) => Promise<string>;
};

const AT_RCPT = { command: 'rcpt', from: null, subject: null, decided_by: null };
const READ = {
  command: 'data',
  from: '"Ann" <ann@sender.example>',
  message_id: '<hello@sender.example>',
  subject: 'hello',
  authentication: { dmarc: 'fail' },
};
const byField = (name: string) => ({
  command: 'data',
  decided_by: { kind: 'field', name, scope: 'address' },
});
const byHook = { ...READ, decided_by: { kind: 'hook' } };
const allowing = (sender: string): Partial<Address> => ({
  allowed_senders: {
    senders: [sender],
    require_authenticated: true,
    accept_forwarded: false,
  },
});
const attachment =
  'Subject: a file\r\nMIME-Version: 1.0\r\nContent-Type: application/pdf\r\n' +
  'Content-Disposition: attachment; filename=a.pdf\r\n\r\ncontent of the file\r\n';
pipeline.receiver.answer('/refuse', () => ({ status: 200, body: '{"decision":"refuse"}' }));
pipeline.receiver.answer('/broken', () => 500);
const asking = (path: string): Partial<Address> => ({
  hook: { url: pipeline.receiver.url(path), when: null, timeout_ms: 30_000, on_error: 'defer' },
});
const STRANGER = '198.51.100.99';

const suspended: How = {
  before: ({ account_id }) => accounts.suspend(account_id, new Date()),
  after: ({ account_id }) => accounts.resume(account_id),
};
const overQuota: How = {
  before: ({ account_id }) =>
    db
      .collection<{ _id: string }>('accounts')
      .updateOne(
        { _id: account_id },
        { $set: { plan: 'spent', subscription: { anchor: new Date() } } },
      ),
};
const afterOne: How = { before: ({ address }) => bed.send(address, rawMail('the first one')) };
const fromStranger: How = {
  source: STRANGER,
  before: async () => {
    for (let n = 0; n < UNKNOWN_PER_MINUTE; n++)
      await bed.send(`unknown${n}@in.example`, rawMail('hello'), STRANGER);
  },
};
const looping = `${'Received: from a by b\r\n'.repeat(101)}${rawMail('loop')}`;
const LARGE = { command: 'data', subject: null, message_id: '<large@sender.example>' };
const images = { allowed_attachments: { types: ['image/*'], max_bytes: null } };
const small = { allowed_attachments: { types: null, max_bytes: 10 } };
const hellos = { name: 'hellos', when: 'subject == "hello"', action: 'refuse' as const };
const byRule = { ...READ, decided_by: { kind: 'rule', name: 'hellos', scope: 'address' } };

test.each<[string, Partial<Address>, object, How?]>([
  ['sender_not_allowed', allowing('partner.example'), { ...READ, ...byField('allowed_senders') }],
  ['sender_not_allowed', allowing('sender.example'), READ], // nothing authenticates it
  ['spam_refused', { spam_refuse_above: 0 }, { ...READ, ...byField('spam_refuse_above') }],
  [
    'virus_refused',
    { refuse_infected: true },
    byField('refuse_infected'),
    { mail: rawMail('malware') },
  ],
  ['rule_refused', { rules: [hellos] }, byRule],
  ['hook_refused', asking('/refuse'), byHook],
  ['hook_deferred', asking('/broken'), byHook],
  ['attachment_type_refused', images, byField('allowed_attachments'), { mail: attachment }],
  ['attachment_too_big', small, byField('allowed_attachments'), { mail: attachment }],
  ['message_too_big', {}, LARGE, { mail: rawMail('large', 200_000) }],
  ['loop_detected', {}, { command: 'data' }, { mail: looping }],
  ['no_such_address', { deleted_at: new Date() }, AT_RCPT],
  ['address_disabled', { is_enabled: false }, AT_RCPT],
  ['account_suspended', {}, AT_RCPT, suspended],
  ['quota_spent', {}, AT_RCPT, overQuota],
  ['too_many_for_address', { max_per_hour: 1 }, AT_RCPT, afterOne],
  ['too_many_unknown', {}, AT_RCPT, fromStranger],
  ['listed_in_blocklist', {}, AT_RCPT, { source: LISTED_SOURCE }],
  ['too_many_recipients', {}, AT_RCPT, { send: repeated }],
])('%s', async (reason, fields, expected, how = {}) => {
  const { mail = rawMail('hello'), source = SOURCE, before, after } = how;
  const account = await api.newAccount();
  const { token } = await api.issue({ accountId: account.id });
  const address = await addressOf({ account_id: account.id, ...fields });
  const mailbox = address.address;
  await before?.(address);
  const reply = await (how.send?.(mailbox) ?? bed.send(mailbox, mail, source));
  await after?.(address);

  const [refusal, ...others] = await bed.refusalsOf(mailbox, token);
  const { code, enhanced_code, text } = refusal?.reply ?? {};
  expect(others).toEqual([]);
  expect(reply).toBe(`${code} ${enhanced_code} ${text}`);
  expect(refusal).toMatchObject({
    ...expected,
    reason,
    mailbox,
    address_id: address.id,
    count: 1,
    mail_from: 'ann@sender.example',
    helo_domain: 'mx.sender.example',
    remote_ip: source,
  });
  const env = { INLET_API_URL: `${api.url}/v1`, INLET_TOKEN: token };
  const { out } = await runCommand(['refusals', 'list', '--sender', '@sender.example'], { env });
  expect(out).toMatch(new RegExp(`^${refusal?.id} .* ${mailbox} .* ${reason}$`, 'm'));
  const asked = ['refusals', '--account', account.id, '--sender', '@sender.example'];
  const operator = await runCommand(['admin', ...asked], {
    env: { MONGODB_URI: String(pipeline.settings.MONGODB_URI) },
  });
  expect(JSON.parse(operator.out)).toEqual([refusal]);
  expect(refusalText.reasonOf(reason)).not.toBe(reason);
  const [line] = bed.logged(mailbox);
  const isRead = refusal?.command === 'data';
  expect(line).toMatchObject({
    command: refusal?.command,
    reason,
    reply_code: code,
    enhanced_code,
    remote_ip: source,
    ...(isRead && { sender: 'ann@sender.example', address_id: address.id, account_id: account.id }),
  });
});

/** Names an address until RCPT refuses it. */
async function repeated(address: string): Promise<string> {
  await using smtp = await dialogue(pipeline.smtpPort, '127.0.0.1', proxied(SOURCE));
  for (const line of ['EHLO mx.sender.example', 'MAIL FROM:<ann@sender.example>'])
    await smtp.say(line);
  for (;;) {
    const reply = await smtp.say(`RCPT TO:<${address}>`);
    if (!reply.startsWith('250')) return reply;
  }
}
