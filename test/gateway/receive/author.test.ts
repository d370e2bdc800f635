/**
 * Forged authors and forged structures, over real SMTP to a webhook: what is shown is what was
 * authenticated (D120, D121).
 */
import { describe, expect, test } from 'vitest';

import type { WebhookPayload } from '../../../services/core/webhook/payload.ts';
import { startTestDns } from '../../support/dns-server.ts';
import { startPipeline } from '../../support/pipeline.ts';
import { publishKey, signed } from '../../support/signed-mail.ts';
import { useInFile } from '../../support/use-in-file.ts';

const dns = await useInFile(startTestDns());
dns.set('evil.test', { TXT: ['v=spf1 ip4:127.0.0.1 -all'] });
for (const domain of ['evil.test', 'partner.test'])
  dns.set(`_dmarc.${domain}`, { TXT: ['v=DMARC1; p=reject'] });
const partner = publishKey(dns, 'partner.test', 's1');
const pipeline = await useInFile(
  startPipeline({
    env: { MAIL_AUTH: 'true', DNS_SERVERS: dns.address },
  }),
);

let paths = 0;
/** What the webhook of an address gets of an email whose envelope sender is x@evil.test. */
async function webhookOf(raw: string): Promise<WebhookPayload> {
  const path = `/author-${++paths}`;
  const { address } = await pipeline.address(path);
  await pipeline.mailer.sendMail({ envelope: { from: 'x@evil.test', to: [address] }, raw });
  const { payload } = await pipeline.receiver.nth(path, 1);
  return payload;
}

const codesOf = ({ parse_warnings }: WebhookPayload) => parse_warnings.map(({ code }) => code);

const REST = 'To: you@in.example\r\nSubject: Hello\r\nMIME-Version: 1.0\r\n';

describe('the author', () => {
  /** Form, header fields, what `headers.from` shows. */
  test.each([
    [
      'a bracket that is never closed',
      'From: x@evil.test (<ann@partner.test>\r\n',
      '"x@evil.test" <ann@partner.test>, x@evil.test',
    ],
    [
      'a bracket that is never closed, the victim first',
      'From: ann@partner.test (<x@evil.test>\r\n',
      '"ann@partner.test" <x@evil.test>, ann@partner.test',
    ],
    [
      'an address in an encoded word that is one to nobody else',
      'From: =?utf-8?q?<ann@partner.test>,?= <x@evil.test>\r\n',
      '"<ann@partner.test>," <x@evil.test>',
    ],
    ['two From fields', 'From: ann@partner.test\r\nFrom: x@evil.test\r\n', 'x@evil.test'],
    ['two authors', 'From: x@evil.test, ann@partner.test\r\n', 'x@evil.test, ann@partner.test'],
    [
      'a domain cut by a fold',
      'From: x@evil.test\r\n .partner.test <ann@partner.test\r\n',
      '"x@evil.test .partner.test ann@partner.test", x@evil.test, ann@partner.test',
    ],
    ['a route', 'From: <@evil.test:ann@partner.test>\r\n', 'ann@partner.test'],
    ['two at signs', 'From: <ann@partner.test@evil.test>\r\n', '"ann@partner.test@evil.test"'],
  ])('%s: nobody is authenticated', async (_, from, shown) => {
    const payload = await webhookOf(`${from}${REST}\r\nHello\r\n`);
    expect(payload).toMatchObject({
      authentication: { dmarc: { result: 'permerror', domain: null } },
      spam: { details: { dmarc: 'permerror' } },
    });
    expect(codesOf(payload)).toContain('unclear_author');
    expect(payload.headers.from).toBe(shown);
  });

  test.each([
    [
      'one quoted name with an address in it',
      'From: "a\\" <ann@partner.test>, \\"b" <x@evil.test>\r\n',
      '"a\\" <ann@partner.test>, \\"b" <x@evil.test>',
    ],
    [
      'U+00A0 in the name of a second field',
      `From: x@evil.test\r\nMIME-Version: 1.0\r\nFrom\u00a0: ann@partner.test\r\n`,
      'x@evil.test',
    ],
    [
      'U+FEFF in the name of a second field',
      `From: x@evil.test\r\nMIME-Version: 1.0\r\n\ufeffFrom: ann@partner.test\r\n`,
      'x@evil.test',
    ],
    [
      'an address in an encoded name',
      'From: =?utf-8?q?ann=40partner=2Etest?= <x@evil.test>\r\n',
      '"ann@partner.test" <x@evil.test>',
    ],
    [
      'an address in a comment',
      'From: x@evil.test (ann@partner.test)\r\n',
      '"ann@partner.test" <x@evil.test>',
    ],
    ['honest email', 'From: "Eve" <x@evil.test>\r\n', '"Eve" <x@evil.test>'],
  ])('%s: the one author is shown', async (_, from, shown) => {
    const payload = await webhookOf(`${from}${REST}\r\nHello\r\n`);
    expect(payload.headers.from).toBe(shown);
    expect(payload.authentication?.dmarc).toMatchObject({ result: 'pass', domain: 'evil.test' });
    expect(codesOf(payload)).not.toContain('unclear_author');
  });

  test.each([
    ['nested comments', 'CEO (a (b) <x@evil.test> c) <ann@partner.test>'],
    ['a group with comments', 'Team (x@evil.test): ann@partner.test (b <x@evil.test>);'],
  ])('%s: another domain than that of the shown author never passes', async (_, from) => {
    const payload = await webhookOf(`From: ${from}\r\n${REST}\r\nHello\r\n`);
    expect(payload.headers.from).toContain('ann@partner.test');
    expect(payload.authentication?.dmarc.result).toMatch(/^(permerror|fail)$/);
  });
});

describe('a signed email shows what was signed', () => {
  const BODY =
    '--AA\r\nContent-Type: text/plain\r\n\r\nPay nothing until we talk.\r\n\r\n' +
    '--BB\r\n\r\nPay 9,000 to account 77 today.\r\n--BB--\r\n\r\n--AA--\r\n';
  const mail = (type: string, body = BODY) =>
    signed(
      `From: ann@partner.test\r\n${REST}Date: Mon, 02 Feb 2026 10:00:00 +0000\r\n` +
        `Message-ID: <1@partner.test>\r\nContent-Type: ${type}\r\n\r\n${body}`,
      partner,
    );

  test.each([
    ['Content-Type: multipart/mixed; boundary="BB"', 'multipart/mixed; boundary="AA"'],
    ['content-type : text/html', 'multipart/mixed; boundary="AA"'],
  ])('%s in front of it does not count', async (inFront, type) => {
    const payload = await webhookOf(`${inFront}\r\n${await mail(type)}`);
    expect(payload).toMatchObject({
      content: {
        text: expect.stringMatching(/^Pay nothing until we talk\./) as string,
        html: null,
      },
      authentication: { dmarc: { result: 'pass', domain: 'partner.test' } },
    });
    expect(codesOf(payload)).toContain('repeated_header');
  });

  test.each(['Content-Transfer-Encoding: base64', 'Content-Disposition: attachment'])(
    '%s in front of signed ones does not count',
    async (inFront) => {
      const [name] = inFront.split(':');
      const own = name === 'Content-Disposition' ? 'inline' : '7bit';
      const raw = await mail(`text/plain\r\n${name}: ${own}`, 'Hello there\r\n');
      const payload = await webhookOf(`${inFront}\r\n${raw}`);
      expect(payload).toMatchObject({ content: { text: 'Hello there\n' }, attachments: [] });
      expect(codesOf(payload)).toContain('repeated_header');
    },
  );

  test('each signature says what it covers', async () => {
    const whole = await mail('text/plain', 'Hello\r\n');
    const { authentication } = await webhookOf(whole);
    const [first] = authentication?.dkim ?? [];
    expect(first).toMatchObject({ result: 'pass', unsigned_body_bytes: 0, warnings: [] });
    expect(first?.signed_headers).toEqual(
      expect.arrayContaining(['from', 'to', 'subject', 'date', 'message-id', 'content-type']),
    );
    const partial = await signed(`From: ann@partner.test\r\nTo: you@in.example\r\n\r\nHello\r\n`, {
      ...partner,
      maxBodyLength: 7,
    });
    const added = await webhookOf(
      `Content-Disposition: attachment\r\nReply-To: x@evil.test\r\n${partial}more\r\n`,
    );
    expect(added.authentication?.dkim).toMatchObject([
      {
        result: 'pass',
        unsigned_body_bytes: 6,
        warnings: [
          'subject_not_signed',
          'content_type_not_signed',
          'content_disposition_not_signed',
          'reply_to_not_signed',
          'body_not_signed',
        ],
      },
    ]);
  });
});
