/**
 * What a webhook says about the sender of its email, over real SMTP with the test's DNS server
 * (checklist 29, 30), and what is refused as spam.
 */
import { describe, expect, test } from 'vitest';

import type { GatewayConstants } from '../../../services/gateway/process/constants.ts';
import type { Address } from '../../../services/core/address/address.ts';
import { startTestDns } from '../../support/dns-server.ts';
import { plainMail, publishKey, sealed, signed } from '../../support/signed-mail.ts';
import { atMost } from '../../support/slowdown.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { startAuthenticating, storedPayload } from '../authenticating-gateway.ts';
import { storedMails } from '../stored-mail.ts';

/** A signature of an email without Content-Type. */
const WHOLE = {
  signed_headers: expect.arrayContaining(['from', 'subject']) as string[],
  unsigned_body_bytes: 0,
  warnings: ['content_type_not_signed'],
};

const dns = await useInFile(startTestDns());
const withDns = (
  env: Record<string, string> = {},
  server = dns,
  constants: Partial<GatewayConstants> = {},
) => startAuthenticating(server, env, constants);
const pipeline = await useInFile(withDns());

const payloadOf = (mail: string, from = 'ann@sender.test', on = pipeline) =>
  storedPayload(on, mail, from);

const send = async (...recipients: Address[]) =>
  pipeline.mailer
    .sendMail({
      envelope: { from: 'info@evil.test', to: recipients.map(({ address }) => address) },
      raw: plainMail({ from: 'info@evil.test' }),
    })
    .then(
      () => 250,
      (error: { response: string }) => error.response,
    );

const countOf = async ({ id }: Address) => (await storedMails(pipeline.nats, id)).length;

describe('spec 6.1: spam.details', () => {
  test('checklist 29: an email that passes everything, signed twice, with the details of each result', async () => {
    dns.set('sender.test', { TXT: ['v=spf1 ip4:127.0.0.1 -all'] });
    dns.set('_dmarc.sender.test', { TXT: ['v=DMARC1; p=reject; adkim=s; aspf=s'] });
    dns.set('1.0.0.127.in-addr.arpa', { PTR: ['mail.sender.test'] });
    dns.set('mail.sender.test', { A: ['127.0.0.1'] });
    const mail = await signed(
      plainMail(),
      publishKey(dns, 'sender.test', 'rsa'),
      publishKey(dns, 'sender.test', 'ed', 'ed25519'),
    );
    const { spam, authentication } = await payloadOf(mail);
    expect(spam).toEqual({
      score: 0,
      verdict: 'not_spam',
      details: { spf: 'pass', dkim: 'pass', dmarc: 'pass' },
      scored_by: 'inlet',
      rules: [],
    });
    expect(authentication).toEqual({
      spf: {
        result: 'pass',
        domain: 'sender.test',
        reason: expect.stringContaining('designates 127.0.0.1') as string,
      },
      dkim: [
        {
          result: 'pass',
          domain: 'sender.test',
          selector: 'rsa',
          aligned: true,
          reason: null,
          ...WHOLE,
        },
        {
          result: 'pass',
          domain: 'sender.test',
          selector: 'ed',
          aligned: true,
          reason: null,
          ...WHOLE,
        },
      ],
      dmarc: {
        result: 'pass',
        domain: 'sender.test',
        policy: 'reject',
        alignment: { spf: true, dkim: true },
        override: null,
        reason: null,
      },
      arc: { result: 'none', chain: [], reason: null },
      iprev: { result: 'pass', name: 'mail.sender.test' },
    });
    dns.remove('1.0.0.127.in-addr.arpa');
  });

  test('checklist 30: a forged email is spam, whatever Authentication-Results it contains', async () => {
    dns.set('bank.test', { TXT: ['v=spf1 ip4:192.0.2.1 -all'] });
    dns.set('_dmarc.bank.test', { TXT: ['v=DMARC1; p=reject'] });
    const forged =
      'Authentication-Results: mx.in.example; spf=pass; dkim=pass header.d=bank.test; ' +
      'dmarc=pass header.from=bank.test\r\n';
    const { spam } = await payloadOf(
      plainMail({ from: 'Bank <info@bank.test>', extra: forged }),
      'info@bank.test',
    );
    expect(spam).toMatchObject({
      score: 10,
      verdict: 'spam',
      details: { spf: 'fail', dkim: 'none', dmarc: 'fail' },
    });
    expect(spam.rules.map(({ name }) => name)).toEqual([
      'dmarc_fail_reject',
      'spf_fail',
      'no_reverse_dns',
    ]);
  });

  test('with a trusted forwarder’s seal, a changed email is not spam; dmarc stays fail', async () => {
    dns.set('_dmarc.author.test', { TXT: ['v=DMARC1; p=reject'] });
    const original = await signed(
      plainMail({ from: 'ann@author.test' }),
      publishKey(dns, 'author.test', 's'),
    );
    const changed = original.replace('how are you?', 'how are you?\r\n-- \r\nThe list');
    const mail = await sealed(
      changed,
      publishKey(dns, 'list.test', 'arc'),
      'dmarc=pass header.from=author.test',
    );
    const { spam, authentication } = await payloadOf(mail, 'bounces@list.test');
    expect(spam).toMatchObject({ verdict: 'not_spam', details: { dkim: 'fail', dmarc: 'fail' } });
    expect(authentication?.dmarc).toMatchObject({
      result: 'fail',
      override: { reason: 'trusted_arc', sealer: 'list.test' },
    });
    const unknown = await sealed(
      changed,
      publishKey(dns, 'somebody.test', 'arc'),
      'dmarc=pass header.from=author.test',
    );
    expect((await payloadOf(unknown, 'bounces@somebody.test')).spam.verdict).toBe('spam');
  });

  test('signatures are verified over the received bytes, also of large emails and bare line feeds', async () => {
    const signer = publishKey(dns, 'big.test', 's');
    const large = await signed(
      plainMail({ from: 'ann@big.test', body: 'a line of text, and \tanother\r\n'.repeat(40_000) }),
      signer,
    );
    expect((await payloadOf(large)).spam.details.dkim).toBe('pass');
    const folded = plainMail({ from: 'ann@big.test', extra: 'X-Folded: one\r\n two\r\n' });
    expect(
      (await payloadOf(await signed(folded, { ...signer, canonicalization: 'simple/simple' }))).spam
        .details.dkim,
    ).toBe('pass');
  });
});

describe('without DNS', () => {
  test('timeouts: mail arrives within the budget, temperror is not fail, later mail does not wait', async () => {
    await using silent = await startTestDns();
    silent.setSilent(true);
    await using away = await withDns({}, silent, { mailAuthMs: 1_000, dnsMs: 30_000 });
    const mail = await signed(plainMail(), publishKey(dns, 'sender.test', 'rsa'));
    const startedAt = performance.now();
    const { spam, authentication } = await payloadOf(mail, undefined, away);
    expect(performance.now() - startedAt).toBeLessThan(atMost(6_000));
    expect(spam).toMatchObject({
      score: 0,
      verdict: 'not_spam',
      details: { spf: 'temperror', dkim: 'temperror', dmarc: 'temperror' },
    });
    expect(authentication?.iprev).toEqual({ result: 'temperror', name: null });
    await expect
      .poll(async () => {
        const next = performance.now();
        await payloadOf(mail, undefined, away);
        return performance.now() - next;
      })
      .toBeLessThan(atMost(500));
  });

  test('no server at the address: mail does not wait at all', async () => {
    const gone = await startTestDns();
    await gone[Symbol.asyncDispose]();
    await using away = await withDns({}, gone);
    const startedAt = performance.now();
    expect((await payloadOf(plainMail(), undefined, away)).spam.details.spf).toBe('temperror');
    expect(performance.now() - startedAt).toBeLessThan(atMost(4_000));
  });

  test('switched off: no waiting and no results', async () => {
    await using off = await withDns({ MAIL_AUTH: 'false' });
    const before = dns.requested.length;
    expect(await payloadOf(plainMail(), undefined, off)).toMatchObject({
      authentication: null,
      spam: { score: 0, details: { spf: 'none', dkim: 'none', dmarc: 'none' } },
    });
    expect(dns.requested.slice(before).filter((question) => !question.startsWith('NS '))).toEqual(
      [],
    );
  });
});

describe('spam_refuse_above', () => {
  test('spam gets 550 5.7.1 after DATA if every recipient refuses it, else it reaches all', async () => {
    dns.set('_dmarc.evil.test', { TXT: ['v=DMARC1; p=reject'] });
    const [strict, stricter, open] = [
      await pipeline.address('/a', { spam_refuse_above: 5 }),
      await pipeline.address('/b', { spam_refuse_above: 0 }),
      await pipeline.address('/c'),
    ];
    expect(await send(strict)).toBe('550 5.7.1 Message rejected as spam');
    expect(await send(strict, stricter)).toBe('550 5.7.1 Message rejected as spam');
    expect([await countOf(strict), await countOf(stricter)]).toEqual([0, 0]);
    expect(await send(strict, open)).toBe(250);
    expect([await countOf(strict), await countOf(open)]).toEqual([1, 1]);
    expect(await send(await pipeline.address('/d', { spam_refuse_above: 10 }))).toBe(250);
  });
});

/** The refusal of DATA, or those of recipients. */
const from = (sender: string, raw: string | Buffer, ...recipients: Address[]) =>
  pipeline.mailer
    .sendMail({
      envelope: { from: sender, to: recipients.map(({ address }) => address) },
      raw,
    })
    .then(
      (sent) =>
        ((sent as { rejectedErrors?: { response: string }[] }).rejectedErrors ?? []).map(
          ({ response }) => response,
        ),
      (error: { response: string }) => error.response,
    );

const partner = () => publishKey(dns, 'partner.test', 'key');

describe('D54: allowed_senders', () => {
  const allowed_senders = {
    senders: ['partner.test'],
    require_authenticated: true,
    accept_forwarded: false,
  };
  test('a signed author of the list is accepted; the same From without a signature is not', async () => {
    dns.set('_dmarc.partner.test', { TXT: ['v=DMARC1; p=none'] });
    const only = await pipeline.address('/only', { allowed_senders });
    const mail = plainMail({ from: 'Ann <ann@partner.test>' });
    const honest = await signed(mail, partner());
    expect(await from('ann@partner.test', honest, only)).toEqual([]);
    const refusal = '550 5.7.1 Message rejected by the policy of the recipient';
    expect(await from('ann@partner.test', mail, only)).toBe(refusal);
    expect(await from('ann@sender.test', plainMail(), only)).toBe(refusal);
    expect(await countOf(only)).toBe(1);
  });

  test('when another recipient accepts the email, it is held instead of refused', async () => {
    const only = await pipeline.address('/only', { allowed_senders });
    const open = await pipeline.address('/open');
    const mail = plainMail({ from: 'ann@partner.test' });
    expect(await from('ann@partner.test', mail, open, only)).toEqual([]);
    const [held] = await storedMails(pipeline.nats, only.id);
    expect(held?.event.ruling).toMatchObject({ action: 'hold', reason: 'sender_not_allowed' });
    const [delivered] = await storedMails(pipeline.nats, open.id);
    expect(delivered?.event.ruling).toBeUndefined();
  });

  test('an author whose DNS does not answer is asked to try again', async () => {
    dns.set('_dmarc.partner.test', 'SERVFAIL');
    const only = await pipeline.address('/only', { allowed_senders });
    const mail = plainMail({ from: 'ann@partner.test' });
    expect(await from('ann@partner.test', mail, only)).toMatch(/^451 4\.3\.0/);
  });
});

test('metrics count results by method, and verdicts', async () => {
  await payloadOf(plainMail());
  const metrics = await (await fetch(pipeline.metricsUrls.gateway)).text();
  expect(metrics).toMatch(
    /^inlet_authentication_results_total\{method="dmarc",result="\w+",component="gateway"\} [1-9]/m,
  );
  expect(metrics).toMatch(/^inlet_authentication_seconds_count\{component="gateway"\} [1-9]/m);
  expect(metrics).toMatch(
    /^inlet_spam_verdicts_total\{kind="inlet",result="not_spam",component="gateway"\} [1-9]/m,
  );
});
