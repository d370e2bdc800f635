/** Signed reply addresses over the whole system: RCPT, payload, records, rotation (D57). */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';

import { checkTag, replyTag } from '../../services/core/reply/reply-address.ts';
import type { Authentication } from '../../services/core/mail/authentication.ts';
import type { ReplyView } from '../../services/core/reply/reply-view.ts';
import { startTestDns } from '../support/dns-server.ts';
import { plainMail, publishKey, signedWithTags } from '../support/signed-mail.ts';
import { atMost } from '../support/slowdown.ts';
import { play } from '../support/smtp-play.ts';
import { startInProcess } from '../support/start-in-process.ts';
import { until } from '../support/until.ts';
import { useInFile } from '../support/use-in-file.ts';

const dns = await useInFile(startTestDns());
for (const domain of ['partner.test', 'stranger.test']) {
  dns.set(domain, { TXT: ['v=spf1 ip4:127.0.0.1 -all'] });
  dns.set(`_dmarc.${domain}`, { TXT: ['v=DMARC1; p=reject'] });
}
const whole = await useInFile(
  startInProcess({
    MAIL_AUTH: 'true',
    DNS_SERVERS: dns.address,
    REPLY_KEYS: randomBytes(32).toString('base64'),
  }),
);

const ask = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
  whole.api.ask(method, `/v1${path}`, body === undefined ? {} : { body });
const ok = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) => {
  const { status, body: answer } = await ask(method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer as Record<string, string>;
};

type Box = { id: string; address: string; path: string; key: string };
async function box(fields: object = { reply_addresses: true }): Promise<Box> {
  const path = `/${randomBytes(6).toString('hex')}`;
  const { id, address } = await whole.address(path, fields);
  const { reply_key: key = '' } = await ok('GET', `/addresses/${id}/reply-key`);
  return { id, address, path, key };
}

const inAnHour = () => new Date(Date.now() + 3_600_000);
const tagged = ({ address }: Box, tag: string) => address.replace('@', `+${tag}@`);
const made = (
  of: Box,
  { sender, expiresAt = inAnHour() }: { sender?: string; expiresAt?: Date } = {},
) => tagged(of, replyTag(of.key, of.id, { reference: 'ticket-42', expiresAt, sender }));
const rcpt = async (address: string) =>
  (
    await play(whole.pipeline.smtpPort, [
      ['EHLO mx.partner.test', '250'],
      ['MAIL FROM:<ann@partner.test>', '250'],
      [`RCPT TO:<${address}>`, ''],
    ])
  ).at(-1);

/** @returns what the payload says about the reply */
async function send({ path }: Box, to: string | string[], from = 'ann@partner.test') {
  const before = whole.pipeline.receiver.received(path).length;
  await whole.pipeline.mailer.sendMail({ envelope: { from, to }, from, to, text: 'hello' });
  const { payload } = await whole.pipeline.receiver.nth(path, before + 1);
  return payload as unknown as { event_id: string; plus_tag: string | null; reply?: ReplyView };
}

const ACCEPTED = '250 2.1.5 Accepted';
const UNKNOWN = '550 5.1.1 No such address';

describe('RCPT', () => {
  test('reply_only: only a valid reply address is accepted; any other looks unknown', async () => {
    const one = await box({ reply_only: true });
    const other = await box({ reply_only: true });
    const tag = replyTag(one.key, one.id, { reference: 'ticket-42', expiresAt: inAnHour() });
    expect(await rcpt(made(one))).toBe(ACCEPTED);
    expect(await rcpt(made(one).toUpperCase())).toBe(ACCEPTED);
    expect(await rcpt(made(one, { sender: 'ann@partner.test' }))).toBe(ACCEPTED);
    for (const refused of [
      one.address,
      tagged(one, 'billing'),
      tagged(one, tag.slice(0, -1)),
      tagged(one, tag.replace('42', '43')),
      tagged(other, tag),
      made({ ...one, key: other.key }),
      made(one, { expiresAt: new Date(Date.now() - 1000) }),
    ])
      expect([refused, await rcpt(refused)]).toEqual([refused, UNKNOWN]);
    await ok('PATCH', `/addresses/${one.id}`, { is_enabled: false });
    expect(await rcpt(one.address)).toBe(UNKNOWN);
    expect(await rcpt(made(one))).toBe('550 5.2.1 Address is disabled');
  });

  test('without reply_only, all email is accepted', async () => {
    const one = await box();
    for (const accepted of [one.address, tagged(one, 'billing'), tagged(one, 'rx.6b28dc80.forged')])
      expect(await rcpt(accepted)).toBe(ACCEPTED);
  });
});

describe('the payload', () => {
  test('says what a reply belongs to, and whose it is', async () => {
    const one = await box();
    const told = async (to: string, from?: string) => (await send(one, to, from)).reply;
    expect(await told(made(one))).toMatchObject({
      status: 'valid',
      reference: 'ticket-42',
      sender: 'unbound',
    });
    const bound = made(one, { sender: 'ann@partner.test' });
    expect(await told(bound)).toMatchObject({ status: 'valid', sender: 'bound' });
    expect(await told(bound, 'eve@stranger.test')).toMatchObject({ sender: 'other' });
    expect(await told(bound, 'eve@partner.test')).toMatchObject({ sender: 'other' });
    expect(await told(made(one, { expiresAt: new Date(1_700_000_000_000) }))).toEqual({
      status: 'expired',
      reference: 'ticket-42',
      expires_at: '2023-11-14T22:13:20Z',
      sender: 'unbound',
    });
    expect(await told(tagged(one, 'rx.6b28dc80.forged'))).toMatchObject({ status: 'invalid' });
    expect(await told(one.address)).toMatchObject({ status: 'none', reference: null });
  });

  test('is that of the valid reply address, also if the email names the address itself first', async () => {
    const one = await box();
    const valid = made(one);
    const [, tag] = /\+(.*)@/.exec(valid) ?? [];
    const expired = made(one, { expiresAt: new Date(1_700_000_000_000) });
    const forged = tagged(one, 'rx.6b28dc80.forged');
    for (const names of [
      [one.address, valid],
      [forged, expired, valid, one.address],
      [valid, tagged(one, 'billing')],
    ])
      expect(await send(one, names)).toMatchObject({ plus_tag: tag, reply: { status: 'valid' } });
    expect(await send(one, [forged, expired])).toMatchObject({ reply: { status: 'expired' } });
  });

  test('has no reply unless reply addresses are turned on', async () => {
    const path = `/${randomBytes(6).toString('hex')}`;
    const { id, address } = await whole.address(path);
    expect((await ask('GET', `/addresses/${id}/reply-key`)).status).toBe(409);
    const off = { id, address, path, key: '' };
    expect(await send(off, tagged(off, 'rx.6b28dc80.forged'))).not.toHaveProperty('reply');
  });
});

test('records, their search and the trace of rules have the reference and no signature', async () => {
  const one = await box({
    reply_addresses: true,
    rules: [
      {
        name: 'seen',
        when: 'to.contains("%") || plus_tag.contains("%") || "%" in envelope.rcpt_to',
        action: 'hold',
      },
    ],
  });
  const valid = made(one);
  const [, signature = ''] = /\.([0-9a-v]{16})@/.exec(valid) ?? [];
  const { mongo } = whole.pipeline;
  const records = mongo.db.collection<{ _id: string }>('deliveries');
  const [name, domain] = valid.split('@') as [string, string];
  for (const [to, recorded] of [
    [valid, 'rticket-42@'],
    [`${name.replaceAll('.', '|')}@${domain}`, 'r*@'],
  ] as const) {
    const { event_id, plus_tag } = await send(one, to);
    expect(plus_tag).toContain(signature);
    await until(
      'the record',
      async () => (await ask('GET', `/deliveries/${event_id}`)).status === 200,
    );
    const record = await records.findOne({ _id: event_id });
    expect(record).not.toBeNull();
    const shown = JSON.stringify([record, await ok('GET', `/deliveries/${event_id}`)]);
    expect(shown).toContain(recorded);
    expect(shown).toContain('plus_tag');
    expect(shown).not.toContain(signature);
  }
});

describe('the API', () => {
  test('makes a reply address, for a sender too, as a program does', async () => {
    const one = await box();
    const path = `/addresses/${one.id}/reply-addresses`;
    const request = { reference: 'ticket-42', ttl_hours: 2, sender: 'Ann@PARTNER.test' };
    const { address = '', ...rest } = await ok('POST', path, request);
    expect(rest).toMatchObject({ reference: 'ticket-42', sender: 'ann@partner.test' });
    const tag = address.slice(address.indexOf('+') + 1, address.indexOf('@'));
    expect(checkTag(tag, one.id, [one.key], new Date()).status).toBe('valid');
    expect(await send(one, address)).toMatchObject({ reply: { sender: 'bound' } });
    const long = await ask('POST', path, { reference: 'x'.repeat(60) });
    expect(long).toMatchObject({ status: 422, body: { details: { field: 'reference' } } });
    const elsewhere = await ask('POST', path, { ...request, mailbox: 'box@elsewhere.example' });
    expect(elsewhere).toMatchObject({ status: 422, body: { details: { field: 'mailbox' } } });
  });

  test('turns reply addresses on and off', async () => {
    const one = await box({ reply_only: true });
    const path = `/addresses/${one.id}`;
    expect(await ok('GET', path)).toMatchObject({ reply_addresses: true, reply_only: true });
    expect(await ok('PATCH', path, { reply_only: false })).toMatchObject({
      reply_addresses: true,
      reply_only: false,
    });
    expect(await rcpt(one.address)).toBe(ACCEPTED);
    await ok('PATCH', path, { reply_only: true });
    expect(await rcpt(one.address)).toBe(UNKNOWN);
    expect(await ok('PATCH', path, { reply_addresses: false })).toMatchObject({
      reply_addresses: false,
      reply_only: false,
    });
    expect((await ask('POST', `${path}/reply-addresses`, { reference: 'x' })).status).toBe(409);
    expect((await ask('POST', `${path}/rotate-reply-key`)).status).toBe(409);
    const both = await ask('PATCH', path, { reply_addresses: false, reply_only: true });
    expect(both).toMatchObject({
      status: 422,
      body: { details: { field: 'reply_only', code: 'conflict' } },
    });
  });

  test('rotates the key: the former one is accepted until the overlap ends', async () => {
    const one = await box({ reply_only: true });
    const path = `/addresses/${one.id}/rotate-reply-key`;
    const rotated = await ok('POST', path);
    expect(rotated.reply_key).not.toBe(one.key);
    const left = Date.parse(rotated.former_reply_keys_valid_until ?? '') - Date.now();
    expect(Math.abs(left - 24 * 3_600_000)).toBeLessThan(atMost(60_000));
    const second = { ...one, key: rotated.reply_key ?? '' };
    for (const accepted of [one, second]) expect(await rcpt(made(accepted))).toBe(ACCEPTED);
    const third = { ...one, key: (await ok('POST', path, { overlap_hours: 0 })).reply_key ?? '' };
    expect(await rcpt(made(second))).toBe(UNKNOWN);
    for (const accepted of [one, third]) expect(await rcpt(made(accepted))).toBe(ACCEPTED);
    expect(await ok('GET', `/addresses/${one.id}/reply-key`)).toMatchObject({
      reply_key: third.key,
      former_reply_keys_valid_until: rotated.former_reply_keys_valid_until,
    });
  });
});

describe('a stranger with a key of its own (D110)', () => {
  test.each([
    ['a NUL in s=', 'd=partner.test; s=k._domainkey.stranger.test\0'],
    ['a NUL in d=', 'd=stranger.test\0.partner.test; s=k'],
    ['an escape in s=', 'd=partner.test; s=k._domainkey.stranger.test\\000'],
    ['a second d=', 'd=stranger.test; s=k; d=partner.test'],
    ['D= after d=', 'd=stranger.test; s=k; D=partner.test'],
  ])('does not pass for another with %s', async (_, tags) => {
    const { privateKey } = publishKey(dns, 'stranger.test', 'k');
    const one = await box();
    const bound = made(one, { sender: 'ann@partner.test' });
    const sendAs = async (from: string, to: string, withTags: string) => {
      const raw = signedWithTags(plainMail({ from }), withTags, privateKey);
      const before = whole.pipeline.receiver.received(one.path).length;
      await whole.pipeline.mailer.sendMail({ envelope: { from: 'x@stranger.test', to }, raw });
      return (await whole.pipeline.receiver.nth(one.path, before + 1)).payload as unknown as {
        authentication: Authentication;
        reply?: ReplyView;
      };
    };
    const honest = await sendAs('eve@stranger.test', bound, 'd=stranger.test; s=k');
    expect(honest.authentication.dmarc).toMatchObject({ result: 'pass', domain: 'stranger.test' });
    const forged = await sendAs('ann@partner.test', bound, tags);
    expect(forged.authentication).toMatchObject({
      dkim: [{ result: 'permerror', aligned: false }],
      dmarc: { result: 'fail', domain: 'partner.test', alignment: { dkim: false } },
    });
    expect(forged.reply).toMatchObject({ sender: 'other' });

    const allowed_senders = { senders: ['partner.test'] };
    const strict = await whole.address(`/${randomBytes(6).toString('hex')}`, { allowed_senders });
    const raw = signedWithTags(plainMail({ from: 'ann@partner.test' }), tags, privateKey);
    const envelope = { from: 'x@stranger.test', to: strict.address };
    await expect(whole.pipeline.mailer.sendMail({ envelope, raw })).rejects.toMatchObject({
      responseCode: 550,
    });
  });
});
