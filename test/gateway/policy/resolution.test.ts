/**
 * Over SMTP: which address an email reaches, how fast changes take effect, and which mailboxes its
 * payload names (checklist 10, 18; D21, D22).
 */
import { beforeAll, describe, expect, test } from 'vitest';

import type { Address } from '../../../services/core/address/address.ts';
import { startPipeline } from '../../support/pipeline.ts';
import { dialogue } from '../../support/smtp-play.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { storedMails } from '../stored-mail.ts';

const pipeline = await useInFile(startPipeline({ withDispatcher: false }));

const ACCOUNT = 'acc_own';
async function add(address: string, fields: Partial<Address> = {}): Promise<Address> {
  const added = await pipeline.address('/unused', { address, account_id: ACCOUNT, ...fields });
  await announce(added);
  return added;
}
async function announce(address: Address): Promise<void> {
  pipeline.announce(address);
  await pipeline.nats.connection.flush();
}
async function change(address: Address, fields: Partial<Address>): Promise<void> {
  await pipeline.mongo.db
    .collection<{ _id: string }>('addresses')
    .updateOne({ _id: address.id }, { $set: fields });
  await announce(address);
}

let sent = 0;
/** Sends one email; returns the replies to RCPT, and what reached which address. */
async function send(...mailboxes: string[]) {
  const subject = `mail ${++sent}`;
  await using smtp = await dialogue(pipeline.smtpPort);
  await smtp.say('EHLO mx.sender.example');
  await smtp.say('MAIL FROM:<ann@sender.example> SMTPUTF8');
  const replies: string[] = [];
  for (const mailbox of mailboxes)
    replies.push((await smtp.say(`RCPT TO:<${mailbox}>`)).slice(0, 9));
  if (!replies.some((reply) => reply.startsWith('250'))) return { replies, reached: {} };
  await smtp.say('DATA');
  expect(await smtp.say(`Subject: ${subject}\r\n\r\n.`)).toMatch(/^250 /);
  const mails = (await storedMails(pipeline.nats)).filter(
    ({ payload }) => payload.headers.subject === subject,
  );
  return {
    replies,
    reached: Object.fromEntries(
      mails.map(({ event, payload }) => [event.address_id, payload.envelope.rcpt_to]),
    ),
  };
}
/** The address that an email to this mailbox reaches, or the reply that refuses it. */
async function reaches(mailbox: string): Promise<string | undefined> {
  const { replies, reached } = await send(mailbox);
  return Object.keys(reached)[0] ?? replies[0];
}

test('exact before plus before catch-all before wildcards; each takes effect and ends immediately', async () => {
  const mailbox = 'Sales+Spring@eu.shop.example';
  const names = [
    '*@*.shop.example',
    'sales@*.shop.example',
    '*@eu.shop.example',
    'sales@eu.shop.example',
    'sales+spring@eu.shop.example',
  ];
  const added: Address[] = [];
  expect(await reaches(mailbox)).toBe('550 5.1.1');
  await add('*@*.example');
  expect(await reaches(mailbox)).toBe('550 5.1.1'); // one label is nobody's domain
  for (const name of names) {
    added.push(await add(name));
    expect(await reaches(mailbox)).toBe(added.at(-1)?.id);
  }
  for (const address of added.toReversed()) {
    expect(await reaches(mailbox)).toBe(address.id);
    await change(address, { deleted_at: new Date() });
  }
  expect(await reaches(mailbox)).toBe('550 5.1.1');
});

test('plus addressing: the payload has the tag as it was sent, the first of several', async () => {
  const address = await add('box@plus.example');
  const all = await add('*@plus.example');
  const exact = await add('exact+name@plus.example');
  await send(
    'BOX+News@plus.example',
    'box+other@plus.example',
    'any+Tag+2@plus.example',
    'exact+name@plus.example',
  );
  const mails = (await storedMails(pipeline.nats)).filter(
    ({ payload }) => payload.headers.subject === `mail ${sent}`,
  );
  expect(new Map(mails.map(({ event, payload }) => [event.address_id, payload.plus_tag]))).toEqual(
    new Map([
      [address.id, 'News'],
      [all.id, 'Tag+2'],
      [exact.id, null],
    ]),
  );
});

describe('addresses that take precedence over a catch-all', () => {
  let catchAll: Address;
  beforeAll(async () => {
    catchAll = await add('*@shadow.example');
  });

  test('a disabled address refuses its mail', async () => {
    const address = await add('off@shadow.example');
    expect(await reaches('off@shadow.example')).toBe(address.id);
    await change(address, { is_enabled: false });
    expect(await reaches('off@shadow.example')).toBe('550 5.2.1');
    expect(await reaches('off+tag@shadow.example')).toBe('550 5.2.1');
  });

  test.each<[string, Partial<Address>]>([
    ['deleted', { deleted_at: new Date() }],
    ['expired', { is_permanent: false, expires_at: new Date(Date.now() - 1) }],
  ])('mail to a %s address reaches the catch-all', async (name, fields) => {
    const address = await add(`${name}@shadow.example`);
    expect(await reaches(address.address)).toBe(address.id);
    await change(address, fields);
    expect(await reaches(address.address)).toBe(catchAll.id);
  });

  test('a disabled catch-all refuses only what it would have accepted', async () => {
    const all = await add('*@halt.example');
    const one = await add('one@halt.example');
    await change(all, { is_enabled: false });
    expect([await reaches('any@halt.example'), await reaches('one@halt.example')]).toEqual([
      '550 5.2.1',
      one.id,
    ]);
  });
});

test('D22: several mailboxes of one address are one event that names them all, as sent', async () => {
  const all = await add('*@many.example');
  const one = await add('one@many.example');
  const { replies, reached } = await send(
    'Info@many.example',
    'one@many.example',
    'sales+x@many.example',
    'INFO@MANY.EXAMPLE',
    'nobody@elsewhere.example',
  );
  expect(replies).toEqual(['250 2.1.5', '250 2.1.5', '250 2.1.5', '250 2.1.5', '550 5.1.1']);
  const named = ['Info@many.example', 'sales+x@many.example', 'one@many.example'];
  expect(reached).toEqual({ [all.id]: named, [one.id]: named });
});

test('the same bytes to two mailboxes of a catch-all are two events, to one mailbox twice they are one', async () => {
  const all = await add('*@bulk.example');
  for (const mailbox of ['a@bulk.example', 'b@bulk.example', 'A@bulk.example']) {
    await using smtp = await dialogue(pipeline.smtpPort);
    for (const line of [
      'EHLO x',
      'MAIL FROM:<ann@sender.example>',
      `RCPT TO:<${mailbox}>`,
      'DATA',
      'Message-ID: <1@sender.example>\r\nSubject: the same\r\n\r\n.',
    ])
      await smtp.say(line);
  }
  expect(
    (await storedMails(pipeline.nats, all.id)).map(({ payload }) => payload.envelope.rcpt_to),
  ).toHaveLength(2);
});

test('two mailboxes of a catch-all in one transaction are one event that names both', async () => {
  const all = await add('*@both.example');
  await using smtp = await dialogue(pipeline.smtpPort);
  for (const line of [
    'EHLO x',
    'MAIL FROM:<ann@sender.example>',
    'RCPT TO:<Bo+7@both.example>',
    'RCPT TO:<al@both.example>',
    'DATA',
    'Subject: to both\r\n\r\n.',
  ])
    await smtp.say(line);
  const stored = await storedMails(pipeline.nats, all.id);
  expect(stored.map(({ payload }) => [payload.recipient, payload.recipients])).toEqual([
    ['Bo+7@both.example', ['Bo+7@both.example', 'al@both.example']],
  ]);
});

test('checklist 18: a non-ASCII name, in any case and spelling', async () => {
  const address = await add('bücher@xn--bcher-kva.example');
  expect([
    await reaches('BÜCHER@bücher.example'),
    await reaches('bu\u0308cher+tag@xn--bcher-kva.example'),
  ]).toEqual([address.id, address.id]);
});

test('a mailbox cannot name a wildcard', async () => {
  await add('*@*.wild.example');
  expect(await reaches('x@*.wild.example')).toMatch(/^5/);
});
