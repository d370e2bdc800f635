/** What the log says of a refused email, and what not (D297). */
import { expect, test } from 'vitest';

import { type RefusedEmail, refusedEmail } from '../../../services/core/smtp/refused-email.ts';
import {
  listedInBlocklist,
  noSuchAddress,
  senderNotAllowed,
  tooManyMessages,
} from '../../../services/core/smtp/smtp-reply.ts';

const open = {
  id: 'addr_1',
  account_id: 'acc_1',
  environment: 'live' as const,
  address: 'box@in.example',
};
const box = { named: 'box@in.example', recipient: open };
const refused: RefusedEmail = {
  command: 'data',
  reply: senderNotAllowed,
  sender: 'ann@sender.example',
  mailboxes: [box],
  messageId: '<7@sender.example>',
  remoteIp: '192.0.2.7',
};
const WITH_SENDER = { sender: 'ann@sender.example', message_id: '<7@sender.example>' };
const others = {
  command: 'data',
  reason: 'sender_not_allowed',
  reply_code: 550,
  enhanced_code: '5.7.1',
  remote_ip: '192.0.2.7',
};

test('the sender, the mailbox, the Message-ID, and why', () => {
  expect(refusedEmail(refused)).toEqual({
    ...others,
    ...WITH_SENDER,
    mailbox: 'box@in.example',
    address_id: 'addr_1',
    account_id: 'acc_1',
  });
});

test('several mailboxes; an address only if it is the same', () => {
  const alias = { named: 'box+a@in.example', recipient: open };
  const other = {
    named: 'b@in.example',
    recipient: { ...open, id: 'addr_2', account_id: 'acc_2' },
  };
  expect(refusedEmail({ ...refused, mailboxes: [box, alias] })).toMatchObject({
    mailbox: 'box@in.example',
    mailboxes: ['box@in.example', 'box+a@in.example'],
    address_id: 'addr_1',
  });
  expect(refusedEmail({ ...refused, mailboxes: [box, other] })).toEqual({
    ...others,
    ...WITH_SENDER,
    mailbox: 'box@in.example',
    mailboxes: ['box@in.example', 'b@in.example'],
  });
});

test.each<[string, Partial<RefusedEmail>, boolean]>([
  [
    'an address that redacts its senders',
    { mailboxes: [{ ...box, recipient: { ...open, redact: ['from'] } }] },
    false,
  ],
  [
    'one of several',
    { mailboxes: [box, { ...box, recipient: { ...open, redact: ['from'] } }] },
    false,
  ],
  [
    'an address that redacts subjects',
    { mailboxes: [{ ...box, recipient: { ...open, redact: ['subject'] } }] },
    true,
  ],
  [
    'no such address',
    { reply: noSuchAddress, mailboxes: [{ ...box, recipient: undefined }] },
    true,
  ],
  [
    'an address that was not looked up: it may redact',
    { reply: listedInBlocklist, mailboxes: [{ ...box, recipient: undefined }] },
    false,
  ],
  ['MAIL, which names no address', { reply: tooManyMessages, mailboxes: [] }, true],
])('%s', (_, facts, hasSender) => {
  const { sender, message_id: messageId } = refusedEmail({ ...refused, ...facts });
  expect({ sender, message_id: messageId }).toEqual(
    hasSender ? WITH_SENDER : { sender: undefined, message_id: undefined },
  );
});

test('of a signed reply address, only the reference', () => {
  const signed = 'box+rticket-42.6931f2a0.0123456789abcdef@in.example';
  const fields = refusedEmail({
    ...refused,
    sender: signed,
    mailboxes: [{ ...box, named: signed }],
  });
  expect(fields).toMatchObject({
    sender: 'box+rticket-42@in.example',
    mailbox: 'box+rticket-42@in.example',
  });
});
