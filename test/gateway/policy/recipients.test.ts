/**
 * RCPT: which recipients are refused, how fast a change takes effect, and which recipients a
 * payload shows (D7, D8, D21, D22, D28).
 */
import { describe, expect, test } from 'vitest';

import type { Address } from '../../../services/core/address/address.ts';
import { subjects } from '../../../services/core/delivery/mail-event.ts';
import { startPipeline } from '../../support/pipeline.ts';
import { dialogue, play } from '../../support/smtp-play.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { storedMails } from '../stored-mail.ts';

const pipeline = await useInFile(startPipeline({ withDispatcher: false }));

const anAddress = (fields?: Partial<Address>) => pipeline.address('/unused', fields);
const rcpt = async (address: string, from = '<ann@sender.example>') =>
  (
    await play(pipeline.smtpPort, [
      ['EHLO mx.sender.example', '250'],
      [`MAIL FROM:${from}`, '250'],
      [`RCPT TO:<${address}>`, ''],
    ])
  ).at(-1);

/** Sends one email by hand; returns the reply to each RCPT and to the end of DATA. */
async function sendByHand(recipients: readonly string[], text: string): Promise<string[]> {
  await using smtp = await dialogue(pipeline.smtpPort);
  await smtp.say('EHLO mx.sender.example');
  await smtp.say('MAIL FROM:<ann@sender.example>');
  const replies: string[] = [];
  for (const recipient of recipients) replies.push(await smtp.say(`RCPT TO:<${recipient}>`));
  expect(await smtp.say('DATA')).toBe('354 End data with <CR><LF>.<CR><LF>');
  return [...replies, await smtp.say(`Subject: ${text}\r\n\r\n${text}\r\n.`)];
}

describe('the name of a mailbox', () => {
  test('case, and the spelling of an IDN domain, do not matter', async () => {
    const { address } = await anAddress({ address: 'spelled@xn--bcher-kva.example' });
    expect(await rcpt(address.toUpperCase())).toBe('250 2.1.5 Accepted');
    expect(await rcpt('spelled@BÜCHER.example', '<ann@sender.example> SMTPUTF8')).toBe(
      '250 2.1.5 Accepted',
    );
  });

  test('an address literal is not a mailbox', async () => {
    expect(await rcpt('box@[192.0.2.1]')).toBe(
      '553 5.1.3 Recipient is not a valid mailbox address',
    );
  });
});

const change = async (address: Address, fields: Partial<Address>) => {
  if (Object.keys(fields).length > 0)
    await pipeline.mongo.db
      .collection<{ _id: string }>('addresses')
      .updateOne({ _id: address.id }, { $set: fields });
  pipeline.announce(address);
  await pipeline.nats.connection.flush();
};

describe('D8: an announced change takes effect immediately', () => {
  test('an email to a new address is accepted', async () => {
    const address = 'just-created@in.example';
    expect(await rcpt(address)).toMatch(/^550 5\.1\.1/);
    await change(await anAddress({ address }), {});
    expect(await rcpt(address)).toBe('250 2.1.5 Accepted');
  });

  test.each<[string, Partial<Address>, string]>([
    ['deleted', { deleted_at: new Date() }, '550 5.1.1 No such address'],
    ['disabled', { is_enabled: false }, '550 5.2.1 Address is disabled'],
  ])('an address that has just been %s is refused', async (_, fields, reply) => {
    const address = await anAddress();
    expect(await rcpt(address.address)).toBe('250 2.1.5 Accepted');
    await change(address, fields);
    expect(await rcpt(address.address)).toBe(reply);
  });

  test('an address that has just been enabled again is accepted', async () => {
    const address = await anAddress({ is_enabled: false });
    expect(await rcpt(address.address)).toMatch(/^550 5\.2\.1/);
    await change(address, { is_enabled: true });
    expect(await rcpt(address.address)).toBe('250 2.1.5 Accepted');
  });

  test('D7: a cached address is refused from its expiry on, without an announcement', async () => {
    const endsAt = Date.now() + 1_000;
    const { address } = await anAddress({ is_permanent: false, expires_at: new Date(endsAt) });
    expect(await rcpt(address)).toBe('250 2.1.5 Accepted');
    await new Promise((resolve) => setTimeout(resolve, endsAt - Date.now() + 10));
    expect(await rcpt(address)).toBe('550 5.1.1 No such address');
  });
});

describe('D22: several recipients of one email', () => {
  test('each gets an event of its own; only recipients of the same account are shown', async () => {
    const [one, two, stranger] = [await anAddress(), await anAddress(), await anAddress()];
    await pipeline.mongo.db
      .collection<{ _id: string }>('addresses')
      .updateOne({ _id: two.id }, { $set: { account_id: one.account_id } });
    const replies = await sendByHand(
      [one.address, stranger.address, two.address.toUpperCase()],
      'to three',
    );
    expect(replies.at(-1)).toMatch(/^250 2\.6\.0 OK: stored as evt_\w+ and 2 more$/);

    const [first, second, other] = await Promise.all(
      [one, two, stranger].map(async ({ id }) => (await storedMails(pipeline.nats, id))[0]),
    );
    expect(first?.payload.envelope.rcpt_to).toEqual([one.address, two.address.toUpperCase()]);
    expect(second?.payload.envelope.rcpt_to).toEqual([one.address, two.address.toUpperCase()]);
    expect(other?.payload.envelope.rcpt_to).toEqual([stranger.address]);
    const named = [first, second, other].map((mail) => mail?.payload.recipient);
    expect(named).toEqual([one.address, two.address.toUpperCase(), stranger.address]);
    expect(second?.payload.recipients).toEqual([two.address.toUpperCase()]);
    expect(second?.event.recipients).toEqual([two.address.toUpperCase()]);
    expect(new Set([first, second, other].map((mail) => mail?.event.event_id)).size).toBe(3);
    expect([0, 1].map((partition) => second && subjects.mail(partition, second.event))).toContain(
      second?.subject,
    );
  });

  test('a refused recipient does not affect the others', async () => {
    const address = await anAddress();
    const replies = await sendByHand(['nobody@in.example', address.address], 'one of two');
    expect(replies).toEqual([
      '550 5.1.1 No such address',
      '250 2.1.5 Accepted',
      expect.stringMatching(/^250 2\.6\.0 OK: stored as evt_\w+$/),
    ]);
    expect(await storedMails(pipeline.nats, address.id)).toMatchObject([
      { payload: { envelope: { rcpt_to: [address.address] } } },
    ]);
  });

  test('a recipient named twice, in two spellings, is one event', async () => {
    const address = await anAddress();
    await sendByHand([address.address, address.address, address.address.toUpperCase()], 'twice');
    expect(await storedMails(pipeline.nats, address.id)).toMatchObject([
      { payload: { envelope: { rcpt_to: [address.address] } } },
    ]);
  });

  test('D21: of 101 recipients, 100 are accepted and the last one gets 452', async () => {
    const account_id = 'acc_hundred';
    const addresses = await Promise.all(
      Array.from({ length: 101 }, () => anAddress({ account_id })),
    );
    const replies = await sendByHand(
      addresses.map(({ address }) => address),
      'to many',
    );
    expect(replies.slice(0, 100)).toEqual(Array.from({ length: 100 }, () => '250 2.1.5 Accepted'));
    expect(replies[100]).toMatch(/^452 4\.5\.3 /);
    expect(replies[101]).toMatch(/^250 2\.6\.0 OK: stored as evt_\w+ and 99 more$/);
    const stored = (await storedMails(pipeline.nats)).filter(
      ({ event }) => event.account_id === account_id,
    );
    expect(new Set(stored.map(({ event }) => event.address_id))).toEqual(
      new Set(addresses.slice(0, 100).map(({ id }) => id)),
    );
  });

  test('a transaction has no recipients of the previous one, or of one that was reset', async () => {
    const [before, reset, after] = [await anAddress(), await anAddress(), await anAddress()];
    await using smtp = await dialogue(pipeline.smtpPort);
    await smtp.say('EHLO mx.sender.example');
    for (const { address } of [before, reset, after]) {
      await smtp.say('MAIL FROM:<ann@sender.example>');
      await smtp.say(`RCPT TO:<${address}>`);
      if (address !== reset.address) await smtp.say('DATA');
      expect(
        await smtp.say(
          address === reset.address ? 'RSET' : `Subject: x\r\n\r\nfor ${address}\r\n.`,
        ),
      ).toMatch(/^250 /);
    }
    expect(
      await Promise.all(
        [before, reset, after].map(async ({ id }) => (await storedMails(pipeline.nats, id)).length),
      ),
    ).toEqual([1, 0, 1]);
  });
});
