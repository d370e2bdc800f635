/** Whose a refusal is, who sees it, how it is found, and how it ends (D316). Reasons: reasons.test.ts. */
import { describe, expect, test } from 'vitest';

import { createAccountContents } from '../../../services/adapters/mongo/account/account-contents.ts';
import { createDomains } from '../../../services/adapters/mongo/domain/domains.ts';
import type { Address } from '../../../services/core/address/address.ts';
import { dialogue, exchange } from '../../support/smtp-play.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { rawMail } from '../../gateway/send-by-hand.ts';
import { FROM_ANN, proxied, SOURCE, startRefusalBed } from './refusal-bed.ts';

const bed = await useInFile(startRefusalBed());
const { pipeline, api, db, owner, list, addressOf, refusalsOf } = bed;
const send = (to: string, text = 'hello') => bed.send(to, rawMail(text));
const listed: Partial<Address> = {
  allowed_senders: {
    senders: ['partner.example'],
    require_authenticated: true,
    accept_forwarded: false,
  },
};

describe('several recipients', () => {
  test('each has its own', async () => {
    const spam = await addressOf({ spam_refuse_above: 0 });
    const choosy = await addressOf(listed);
    await using smtp = await dialogue(pipeline.smtpPort, '127.0.0.1', proxied(SOURCE));
    await exchange(smtp, [
      { send: 'EHLO mx.sender.example\r\nMAIL FROM:<>\r\n', expect: ['250', '250'] },
      {
        send: `RCPT TO:<${spam.address}>\r\nRCPT TO:<${choosy.address}>\r\nDATA\r\n`,
        expect: ['250', '250', '354'],
      },
      { send: `${FROM_ANN}${rawMail('both')}.\r\n`, expect: '550' },
    ]);
    expect(await refusalsOf(choosy.address)).toMatchObject([{ reason: 'sender_not_allowed' }]);
    expect(await refusalsOf(spam.address)).toMatchObject([
      { reason: 'spam_refused', mail_from: '' },
    ]);
  });

  test('over LMTP, where another recipient accepts it', async () => {
    const refusing = await addressOf({ spam_refuse_above: 0 });
    const open = await addressOf();
    await using lmtp = await dialogue(pipeline.lmtpPort);
    await exchange(lmtp, [
      { send: 'LHLO relay.example\r\nXFORWARD ADDR=203.0.113.7\r\n', expect: ['250', '250'] },
      { send: 'MAIL FROM:<>\r\n', expect: '250' },
      {
        send: `RCPT TO:<${refusing.address}>\r\nRCPT TO:<${open.address}>\r\nDATA\r\n`,
        expect: ['250', '250', '354'],
      },
      { send: `${FROM_ANN}${rawMail('by relay')}.\r\n`, expect: ['550', '250'] },
    ]);
    expect(await refusalsOf(refusing.address)).toMatchObject([
      { reason: 'spam_refused', remote_ip: '203.0.113.7', message_id: '<by-relay@sender.example>' },
    ]);
    expect(bed.logged(refusing.address)).toMatchObject([
      {
        sender: '',
        address_id: refusing.id,
        message_id: '<by-relay@sender.example>',
        remote_ip: '203.0.113.7',
      },
    ]);
    expect(await list(`address_id=${open.id}`)).toEqual([]);
    expect(bed.logged(open.address)).toEqual([]);
  });
});

test.each([
  ['RCPT', { is_enabled: false }],
  ['DATA', { spam_refuse_above: 0 }],
])(
  'at %s, an address that redacts has neither sender nor subject, in no place',
  async (_, fields) => {
    const { address, id } = await addressOf({ ...fields, redact: ['from', 'subject'] });
    expect(await send(address, 'private')).toMatch(/^550 /);
    const places = [await refusalsOf(address), bed.logged(address)];
    expect(places).toMatchObject([[{ address_id: id }], [{ address_id: id }]]);
    expect(JSON.stringify(places)).not.toMatch(/@sender\.example|private/);
  },
);

test('at MAIL, which names no mailbox: in the log only', async () => {
  await using smtp = await dialogue(pipeline.smtpPort, '127.0.0.1', proxied(SOURCE));
  await smtp.say('EHLO mx.sender.example');
  expect(await smtp.say('MAIL FROM:<ann@sender.example> SIZE=100001')).toMatch(/^552 5\.3\.4/);
  await until('a line', () => bed.logged().length > 0);
  expect(bed.logged()).toMatchObject([
    { command: 'mail', reason: 'message_too_big', sender: 'ann@sender.example', remote_ip: SOURCE },
  ]);
});

describe('a mailbox that does not exist', () => {
  test('at a domain of an account: it belongs to that account', async () => {
    const domains = createDomains(db);
    const claimed = await domains.insert(
      { id: 'dom_own', ...owner, domain: 'own.example', token: '' },
      new Date(),
    );
    if (claimed) await domains.verify(claimed, new Date());
    for (const mailbox of ['Suport@own.example', 'suport@OWN.example'])
      expect(await send(mailbox)).toMatch(/^550/);
    await send('nobody@relay.example');
    const found = await refusalsOf('suport@own.example');
    expect(found).toMatchObject([
      { reason: 'no_such_address', address_id: null, mailbox: 'suport@own.example' },
    ]);
    await until('both', async () => (await refusalsOf('suport@own.example'))[0]?.count === 2);
    expect(await list('domain=OWN.example')).toHaveLength(1);
    // nobody's refusals are metrics only
    expect(await db.collection('refusals').countDocuments({ domain: 'relay.example' })).toBe(0);
  });
});

describe('who sees it', () => {
  test('neither another account nor the other environment, nor a token of another address', async () => {
    const { id, address } = await addressOf({ is_enabled: false });
    const other = await addressOf();
    await send(address);
    const [refusal] = await refusalsOf(address);
    const stranger = await api.newAccount();
    const limited = (addressId: string) => api.issue({ limit: { address_ids: [addressId] } });
    const [own, others, foreign, testing] = await Promise.all([
      limited(id),
      limited(other.id),
      api.issue({ accountId: stranger.id }),
      api.issue({ environment: 'test' }),
    ]);
    expect(await list('', own.token)).toMatchObject([{ id: refusal?.id }]);
    for (const { token } of [others, foreign, testing]) {
      expect(await list('', token)).toEqual([]);
      for (const method of ['GET', 'DELETE'])
        expect(await api.ask(method, `/v1/refusals/${refusal?.id}`, { token })).toMatchObject({
          status: 404,
        });
    }
    const own404 = await list('reason=no_such_address', own.token); // of a domain, without an address
    expect(own404).toEqual([]);
  });
});

describe('filters', () => {
  test('sender, subject, reason and dates, and the count of all of them', async () => {
    const { id, address } = await addressOf({ spam_refuse_above: 0 });
    for (const text of ['first offer', 'second offer', 'second offer']) await send(address, text);
    const at = `address_id=${id}`;
    await until('three', async () => (await refusalsOf(address))[0]?.count === 3);
    const found = async (query: string) => (await list(`${at}&${query}`)).length;
    expect(await found('sender=ann@sender.example&subject=off*&reason=spam_refused')).toBe(1);
    expect(await found('sender=@sender.example')).toBe(1);
    expect(await found('sender=bob@sender.example')).toBe(0);
    expect(await found('reason=rule_refused')).toBe(0);
    expect(await found('end_date=2020-01-01')).toBe(0);
    expect((await api.ask('GET', `/v1/refusals/count?${at}`)).body).toEqual({ count: 3 });
    expect((await api.ask('GET', '/v1/refusals?reason=No+such')).status).toBe(422);
  });
});

describe('it ends', () => {
  test('by request, one or all of a sender, with an event that names nobody', async () => {
    const one = await addressOf({ is_enabled: false });
    await send(one.address);
    const [refusal] = await refusalsOf(one.address);
    expect((await api.ask('DELETE', `/v1/refusals/${refusal?.id}`)).body).toEqual({
      id: refusal?.id,
      deleted: true,
    });
    await send(one.address);
    await refusalsOf(one.address);
    const { body } = await api.ask('DELETE', '/v1/refusals?sender=ann@sender.example');
    expect(body.deleted).toBeGreaterThan(0);
    expect(await list('sender=@sender.example')).toEqual([]);
    const events = await api.ask('GET', '/v1/usage/events?event_type=refusal.erased');
    expect(events.body.data).toMatchObject([
      { data: { refusals: body.deleted } },
      { address_id: one.id },
    ]);
    expect(JSON.stringify(events.body)).not.toContain('sender.example');
  });

  test('with its account', async () => {
    const account = await api.newAccount();
    const { address } = await addressOf({ account_id: account.id, is_enabled: false });
    await send(address);
    const stored = () => db.collection('refusals').countDocuments({ account_id: account.id });
    await until('a record', async () => (await stored()) === 1);
    await createAccountContents(db).remove(account.id, new Date());
    expect(await stored()).toBe(0);
  });
});
