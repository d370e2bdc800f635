/**
 * Names of others, over real SMTP and real DNS to a webhook, at an address that accepts them only
 * when they are authentic: signatures and envelopes of a stranger who owns evil.test, authors that
 * a forwarder read differently, and changes to email that was signed (D110, D111, D120, D268).
 */
import { describe, expect, test } from 'vitest';

import { readAddressField } from '../../../services/core/mail/fields/address-field.ts';
import type { Address } from '../../../services/core/address/address.ts';
import { readByOthers } from '../../adapters/mailauth/from-readers.ts';
import { startTestDns } from '../../support/dns-server.ts';
import { startPipeline } from '../../support/pipeline.ts';
import {
  plainMail,
  publishKey,
  sealed,
  signed,
  signedWithTags,
  type Signer,
} from '../../support/signed-mail.ts';
import { dialogue } from '../../support/smtp-play.ts';
import { useInFile } from '../../support/use-in-file.ts';

let evil: Signer;
let partner: Signer;
let list: Signer;
const dns = await useInFile(startTestDns());
dns.set('evil.test', { TXT: ['v=spf1 ip4:127.0.0.1 -all'] });
dns.set('partner.test', { TXT: ['v=spf1 exists:%{l}._spf.%{d} -all'] });
dns.set('known._spf.partner.test', { A: ['127.0.0.2'] });
for (const domain of ['evil.test', 'partner.test'])
  dns.set(`_dmarc.${domain}`, { TXT: ['v=DMARC1; p=reject'] });
[evil, partner, list] = [
  publishKey(dns, 'evil.test', 's'),
  publishKey(dns, 'partner.test', 's'),
  publishKey(dns, 'list.test', 's'),
];
const env = { MAIL_AUTH: 'true', DNS_SERVERS: dns.address };
const pipeline = await useInFile(
  startPipeline({ env: { ...env, ARC_TRUSTED_SEALERS: 'list.test' } }),
);
const only = { senders: ['partner.test'], require_authenticated: true, accept_forwarded: true };
const anybody = await pipeline.address('/anybody');
const guarded = await pipeline.address('/guarded', { allowed_senders: only });

type Sent = { mailFrom?: string; helo?: string };

/** The reply to an email for this address, or to the command that was refused. */
async function send(raw: string, to: Address, { mailFrom, helo }: Sent): Promise<string> {
  await using smtp = await dialogue(pipeline.smtpPort);
  for (const line of [
    `EHLO ${helo ?? 'mail.evil.test'}`,
    `MAIL FROM:<${mailFrom ?? 'x@evil.test'}>`,
    `RCPT TO:<${to.address}>`,
    'DATA',
  ]) {
    const reply = await smtp.say(line);
    if (!/^[23]/.test(reply)) return reply;
  }
  return await smtp.say(`${raw}.`);
}

let received = 0;
/** What a webhook shows of it, and the reply of an address for authentic email of partner.test. */
async function shown(raw: string, sent: Sent = {}) {
  const reply = await send(raw, guarded, sent);
  expect(await send(raw, anybody, sent)).toMatch(/^250 /);
  const { payload } = await pipeline.receiver.nth('/anybody', ++received);
  return { payload, reply };
}

const REFUSAL = '550 5.7.1 Message rejected by the policy of the recipient';
/** Each a new email: repeats make no webhook. */
const forged = () => plainMail({ from: 'CEO <ceo@partner.test>' });

/** What an email proves for partner.test, and whether the address for its authentic email takes it. */
function proofOf({ payload: { authentication }, reply }: Awaited<ReturnType<typeof shown>>) {
  const { dmarc, dkim = [] } = authentication ?? {};
  return {
    reply,
    isFailure: dmarc?.result === 'fail' || dmarc?.result === 'permerror',
    override: dmarc?.override,
    aligned: dkim.filter(({ result, aligned }) => result === 'pass' && aligned),
  };
}
const NOTHING = { reply: REFUSAL, isFailure: true, override: null, aligned: [] };

test('honest email passes, and a stranger is refused', async () => {
  const honest = await shown(await signed(forged(), partner));
  expect(honest.reply).toMatch(/^250 /);
  expect(honest.payload.authentication?.dmarc).toMatchObject({
    result: 'pass',
    domain: 'partner.test',
  });
  expect((await shown(forged(), { mailFrom: 'known@partner.test' })).reply).toMatch(/^250 /);
  expect(proofOf(await shown(forged()))).toEqual(NOTHING);
  expect(proofOf(await shown(await signed(forged(), evil)))).toEqual(NOTHING);
});

describe('S0: names of a signature', () => {
  test.each([
    'd=partner.test; s=s._domainkey.evil.test\0',
    'd=partner.test; s=s._domainkey.evil.test\0x',
    'd=evil.test\0.partner.test; s=s',
    'd=evil.test\\000.partner.test; s=s',
    'd=evil.test .partner.test; s=s',
    'd=evil.test\u00a0.partner.test; s=s',
    'd=evil.test; s=s; d=partner.test',
    'd=partner.test; s=s; d=evil.test',
    'd=evil.test; s=s; D=partner.test',
    'd=partner.test@evil.test; s=s',
    'd=evil.test,partner.test; s=s',
    'd=evil.test; s=s; i=ceo@partner.test',
    'd=evil.test; s=s; i=@xevil.test',
    'd=test; s=s._domainkey.evil',
    'd=evil.test.; s=s',
  ])('%j', async (tags) => {
    expect(proofOf(await shown(signedWithTags(forged(), tags, evil.privateKey)))).toEqual(NOTHING);
  });
});

describe('names of the envelope', () => {
  test.each<[string, Sent]>([
    ['the sender itself', { mailFrom: 'ceo@partner.test' }],
    ['a final dot', { mailFrom: 'known@partner.test.' }],
    ['a quoted address', { mailFrom: '"known@partner.test"@evil.test' }],
    ['a quoted address with a quote', { mailFrom: '"known\\"@partner.test"@evil.test' }],
    ['a route', { mailFrom: '@evil.test:ceo@partner.test' }],
    ['a macro with a dot', { mailFrom: '"known._spf.partner.test."@partner.test' }],
    ['a macro with an escape', { mailFrom: '"known\\\\000"@partner.test' }],
    ['a macro with a code', { mailFrom: 'known%00@partner.test' }],
    ['HELO', { mailFrom: '', helo: 'partner.test' }],
    ['HELO with a final dot', { mailFrom: '', helo: 'partner.test.' }],
    ['HELO that is an address', { mailFrom: '', helo: 'partner.test@evil.test' }],
    ['HELO that is an address of the victim', { mailFrom: '', helo: 'evil.test@partner.test' }],
  ])('%s', async (_, sent) => {
    expect(proofOf(await shown(forged(), sent))).toEqual(NOTHING);
  });

  test.each<[string, Sent]>([
    ['a NUL in the sender', { mailFrom: 'known@partner.test\0.evil.test' }],
    ['a NUL in HELO', { helo: 'partner.test\0.evil.test' }],
    ['two at signs', { mailFrom: 'known@partner.test@evil.test' }],
    ['a second address', { mailFrom: 'x@evil.test>,<known@partner.test' }],
  ])('%s is refused', async (_, sent) => {
    expect(await send(forged(), anybody, sent)).toMatch(/^50[01] /);
  });
});

const word = (text: string) => `=?utf-8?b?${Buffer.from(text).toString('base64')}?=`;

/** Forms of H1 and of their kind: a pass names the domain that every reader finds, or nobody passes. */
describe('H1: authors', () => {
  const [V, E] = ['ceo@partner.test', 'x@evil.test'];
  test.each([
    `${E} (<${V}>`,
    `"a\\" <${V}>, \\"b" <${E}>`,
    `CEO (a (b) <${E}> c) <${V}>`,
    `CEO (a (b) <${V}> c) <${E}>`,
    `Team (${E}): ${V} (b <${E}>);`,
    `A: "x;" <${E}>, ${V};`,
    `${V}:; ${E}`,
    `<@partner.test:${E}>`,
    `"${V} <${E}>`,
    `<ceo@partner.test(>,<)${E}>`,
    `ceo@partner.test\r\n .evil.test`,
    `ceo@partner.\r\n\ttest <${E}`,
    `ceo@partner.test\0.evil.test`,
    `ceo@partner.test\x7f.evil.test`,
    `ceo@partner.test\u00a0.evil.test`,
    `ceo@part\u00adner.test <${E}>`,
    `ceo\uff20partner.test <${E}>`,
    `${word(`CEO <${V}>, `)} <${E}>`,
    `${word('"')} <${V}> ${word('"')} <${E}>`,
    `${word('ceo@partner.test,')}@evil.test`,
    `=?utf-7?q?+ADw-${V}+AD4-,?= <${E}>`,
    `"${word(`" <${V}>, "`)}" <${E}>`,
    `"ceo@partner.test, "@evil.test`,
    `<${E}> <${V}>`,
    `<${E}<${V}>>`,
    `${E}; ${V}`,
    `"a\\\r\n <${V}>" <${E}>`,
    `x@[127.0.0.1].partner.test`,
    `${E}${' '.repeat(9_000)}, ${V}`,
  ])('%j', async (from) => {
    const { payload, reply } = await shown(plainMail({ from }));
    expect(reply).toBe(REFUSAL);
    const { dmarc } = payload.authentication ?? {};
    if (dmarc?.result !== 'pass') return;
    const field = payload.headers.from ?? '';
    const found = [
      readAddressField(field).mailboxes.map(({ address }) => address),
      ...Object.values(readByOthers([field])).flat(),
    ];
    for (const addresses of found)
      expect(new Set(addresses.map((one) => one.slice(one.lastIndexOf('@') + 1)))).toEqual(
        new Set([dmarc.domain]),
      );
  });
});

describe('D268: a forwarder that is trusted, and read another author', () => {
  test('counts for the author that it judged', async () => {
    const { reply, payload } = await shown(
      await sealed(forged(), list, 'dmarc=pass header.from=partner.test'),
    );
    expect(reply).toMatch(/^250 /);
    expect(payload.authentication?.dmarc.override).toMatchObject({ sealer: 'list.test' });
  });

  test.each([
    'dmarc=pass header.from=evil.test',
    'dmarc=pass',
    'dmarc=fail header.from=partner.test; dmarc=pass header.from=evil.test',
    'dmarc=fail header.from=partner.test; spf=pass smtp.mailfrom="a; dmarc=pass header.from=partner.test "@evil.test',
    'dmarc=fail header.from=partner.test; spf=pass (x; dmarc=pass header.from=partner.test) smtp.helo=a',
    'dmarc=fail reason="x; dmarc=pass header.from=partner.test"',
  ])('%s', async (results) => {
    const from = 'CEO (a (b) <x@evil.test> c) <ceo@partner.test>';
    expect(proofOf(await shown(await sealed(plainMail({ from }), list, results)))).toEqual(NOTHING);
  });
});
