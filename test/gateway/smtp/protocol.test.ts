/**
 * The protocol as a client sees it: what is offered, TLS, sizes, pipelining, dots, UTF-8 (RFC 5321,
 * 1870, 2920, 3207, 6531; D25).
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { describe, expect, test } from 'vitest';

import { ensureTls } from '../../../services/standalone/keys.ts';
import { startPipeline } from '../../support/pipeline.ts';
import { testDir } from '../../support/servers.ts';
import { dialogue, play, type SmtpDialogue } from '../../support/smtp-play.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { storedMails } from '../stored-mail.ts';

const LIMIT = 100_000;

const dir = await useInFile(testDir());
const tls = await ensureTls(dir.path);
const caFile = tls.caFile;
const plain = await useInFile(
  startPipeline({ withDispatcher: false, env: { MAX_MESSAGE_BYTES: String(LIMIT) } }),
);
const secured = await useInFile(
  startPipeline({
    withDispatcher: false,
    env: {
      TLS_CERT_FILE: tls.certFile,
      TLS_KEY_FILE: tls.keyFile,
      SMTP_HOSTNAME: 'mx.in.example',
    },
  }),
);

const only = async (addressId: string) => {
  const stored = await storedMails(plain.nats, addressId);
  expect(stored).toHaveLength(1);
  return stored[0]?.payload;
};

/** A dialogue after DATA, to a new address. */
async function inData(
  from = '<ann@sender.example>',
): Promise<{ smtp: SmtpDialogue; addressId: string }> {
  const address = await plain.address('/unused');
  const smtp = await dialogue(plain.smtpPort);
  for (const line of [
    'EHLO mx.sender.example',
    `MAIL FROM:${from}`,
    `RCPT TO:<${address.address}>`,
  ])
    expect(await smtp.say(line)).toMatch(/^250/);
  expect(await smtp.say('DATA')).toMatch(/^354 /);
  return { smtp, addressId: address.id };
}

const offered = async (port: number) =>
  (await play(port, [['EHLO mx.sender.example', '250']]))[0]
    ?.split('\r\n')
    .slice(1)
    .map((line) => line.slice(4));

describe('EHLO', () => {
  test('offers what the gateway can do, STARTTLS only with a certificate', async () => {
    expect(await offered(plain.smtpPort)).toEqual([
      'PIPELINING',
      '8BITMIME',
      'SMTPUTF8',
      'ENHANCEDSTATUSCODES',
      `SIZE ${LIMIT}`,
    ]);
    expect(await offered(secured.smtpPort)).toEqual([
      'PIPELINING',
      '8BITMIME',
      'SMTPUTF8',
      'ENHANCEDSTATUSCODES',
      'STARTTLS',
      'SIZE 26214400',
    ]);
  });

  test.each([
    ['STARTTLS without a certificate', 'STARTTLS', /^50[02] /],
    ['AUTH', 'AUTH PLAIN AGEAYg==', /^50[02] /],
    ['BDAT', 'BDAT 5 LAST', /^500 /],
    ['an unknown command', 'HELLO?', /^500 /],
    ['an HTTP request', 'GET / HTTP/1.1', /^(421|5\d\d) /],
    ['DATA before any other command', 'DATA', /^503 /],
    ['RCPT before MAIL', 'RCPT TO:<box@in.example>', /^503 /],
    ['a sender without brackets', 'MAIL FROM:ann', /^501 /],
    ['an invalid size', 'MAIL FROM:<a@b.example> SIZE=many', /^501 /],
    ['an unknown body type', 'MAIL FROM:<a@b.example> BODY=BINARYMIME', /^501 /],
  ])('%s is refused', async (_, line, reply) => {
    const replies = await play(plain.smtpPort, [
      ['EHLO mx.sender.example', '250'],
      [line, ''],
    ]);
    expect(replies[1]).toMatch(reply);
  });

  test('MAIL needs a greeting first', async () => {
    expect(await play(plain.smtpPort, [['MAIL FROM:<a@b.example>', '503']])).toHaveLength(1);
  });
});

/**
 * Plain dialogue up to STARTTLS, with `smuggled` sent in the same segment; then TLS, trusting our
 * authority alone.
 */
async function upgraded(smuggled = ''): Promise<TLSSocket> {
  const smtp = await dialogue(secured.smtpPort);
  await smtp.say('EHLO mx.sender.example');
  expect(await smtp.say(Buffer.from(`STARTTLS\r\n${smuggled}`))).toMatch(/^220 /);
  smtp.socket.removeAllListeners('data');
  const socket = connectTls({
    socket: smtp.socket,
    ca: await readFile(caFile),
    servername: 'localhost',
  });
  await once(socket, 'secureConnect');
  return socket;
}
const answer = async (socket: TLSSocket, line: string) => {
  socket.write(`${line}\r\n`);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk.toString();
};

describe('STARTTLS', () => {
  test("the certificate is the gateway's own, never the library's, whose key is public", async () => {
    const socket = await upgraded();
    expect(socket.authorized).toBe(true);
    expect(socket.getPeerCertificate().subject.CN).toBe('localhost');
    expect(socket.getProtocol()).toBe('TLSv1.3');
    // RFC 3207 §4.2
    expect(await answer(socket, 'EHLO mx.sender.example')).not.toContain('STARTTLS');
    socket.destroy();
  });

  test('an email is accepted over TLS', async () => {
    const address = await secured.address('/unused');
    const { response } = await secured.mailer.sendMail({
      from: 'ann@sender.example',
      to: address.address,
      subject: 'over TLS',
      text: 'x',
    });
    expect(response).toMatch(/^250 /);
    expect(await storedMails(secured.nats, address.id)).toMatchObject([
      { payload: { headers: { subject: 'over TLS' } } },
    ]);
  });

  test('RFC 3207 §4.2: plain text after it is dropped, and the client has to greet again', async () => {
    const socket = await upgraded('MAIL FROM:<smuggled@sender.example>\r\n');
    expect(await answer(socket, 'RCPT TO:<box@in.example>')).toMatch(/^503 /);
    expect(await answer(socket, 'MAIL FROM:<ann@sender.example>')).toMatch(/^503 /);
    socket.destroy();
  });
});

describe('D25, RFC 1870: size', () => {
  test('a declared size above the limit is refused before the email is sent', async () => {
    const replies = await play(plain.smtpPort, [
      ['EHLO mx.sender.example', '250'],
      [`MAIL FROM:<a@b.example> SIZE=${LIMIT}`, '250'],
      ['RSET', '250'],
      [`MAIL FROM:<a@b.example> SIZE=${LIMIT + 1}`, ''],
    ]);
    expect(replies.at(-1)).toMatch(/^552 5\.3\.4 /);
  });

  test('an email that exceeds the limit is refused at its end, not stored, and the connection continues', async () => {
    const { smtp, addressId } = await inData();
    await using _ = smtp;
    expect(
      await smtp.say(
        Buffer.from(`Subject: big\r\n\r\n${`${'x'.repeat(98)}\r\n`.repeat(LIMIT / 50)}.\r\n`),
      ),
    ).toMatch(/^552 5\.3\.4 /);
    const other = await plain.address('/unused');
    for (const line of ['MAIL FROM:<ann@sender.example>', `RCPT TO:<${other.address}>`])
      expect(await smtp.say(line)).toMatch(/^250/);
    await smtp.say('DATA');
    expect(await smtp.say('Subject: small\r\n\r\nx\r\n.')).toMatch(/^250 /);
    expect(await storedMails(plain.nats, addressId)).toEqual([]);
    expect(await only(other.id)).toMatchObject({ headers: { subject: 'small' } });
  });

  test.each([
    [LIMIT, /^250 /],
    [LIMIT + 1, /^552 5\.3\.4 /],
  ])('an email of %d bytes', async (bytes, reply) => {
    const { smtp, addressId } = await inData();
    await using _ = smtp;
    const head = 'Subject: exact\r\n\r\n';
    expect(
      await smtp.say(Buffer.from(`${head}${'x'.repeat(bytes - head.length - 2)}\r\n.\r\n`)),
    ).toMatch(reply);
    expect(
      (await storedMails(plain.nats, addressId)).map(({ payload }) => payload.content.size_bytes),
    ).toEqual(bytes <= LIMIT ? [LIMIT] : []);
  });
});

describe('RFC 2920: pipelining', () => {
  test('commands and the email in one segment are answered in order', async () => {
    const address = await plain.address('/unused');
    await using smtp = await dialogue(plain.smtpPort);
    await smtp.say('EHLO mx.sender.example');
    const group = [
      'MAIL FROM:<ann@sender.example>',
      'RCPT TO:<nobody@in.example>',
      `RCPT TO:<${address.address}>`,
      'DATA',
      'Subject: in one go',
      '',
      'x',
      '.',
      'QUIT',
      '',
    ].join('\r\n');
    const replies = [await smtp.say(Buffer.from(group))];
    while (replies.length < 6) replies.push(await smtp.hear());
    expect(replies.map((reply) => reply.slice(0, 9))).toEqual([
      '250 2.1.0',
      '550 5.1.1',
      '250 2.1.5',
      '354 End d',
      '250 2.6.0',
      '221 2.0.0',
    ]);
    expect(await only(address.id)).toMatchObject({
      headers: { subject: 'in one go' },
      envelope: {
        mail_from: 'ann@sender.example',
        helo_domain: 'mx.sender.example',
        remote_ip: '127.0.0.1',
      },
    });
  });

  test('DATA is refused when all recipients of its group were', async () => {
    await using smtp = await dialogue(plain.smtpPort);
    await smtp.say('EHLO mx.sender.example');
    const replies = [
      await smtp.say(
        Buffer.from('MAIL FROM:<a@b.example>\r\nRCPT TO:<nobody@in.example>\r\nDATA\r\nNOOP\r\n'),
      ),
    ];
    while (replies.length < 4) replies.push(await smtp.hear());
    expect(replies.map((reply) => reply.slice(0, 3))).toEqual(['250', '550', '503', '250']);
  });
});

describe('RFC 5321: the end of an email', () => {
  test('§4.5.2: one leading dot is removed, also on the first line and wherever TCP splits', async () => {
    const { smtp, addressId } = await inData();
    await using _ = smtp;
    for (const byte of '..first: x\r\n\r\n..dot\r\n...two\r\nno.dot\r\n') smtp.socket.write(byte);
    expect(await smtp.say('.')).toMatch(/^250 /);
    expect((await only(addressId))?.content.text).toBe('.dot\n..two\nno.dot\n');
  });

  test('an email that a disconnect cuts off is not stored', async () => {
    const { smtp, addressId } = await inData();
    smtp.socket.write('Subject: half\r\n\r\nhalf a');
    smtp.socket.destroy();
    const after = await inData(); // the gateway goes on
    await using _ = after.smtp;
    expect(await after.smtp.say('Subject: x\r\n\r\nx\r\n.')).toMatch(/^250 /);
    expect(await storedMails(plain.nats, addressId)).toEqual([]);
  });

  test('an empty email is accepted', async () => {
    const { smtp, addressId } = await inData();
    await using _ = smtp;
    expect(await smtp.say('.')).toMatch(/^250 /);
    expect(await only(addressId)).toMatchObject({
      content: { text: null, html: null, size_bytes: 0 },
      attachments: [],
    });
  });

  test('§4.5.5: a bounce, which has the null sender, is accepted', async () => {
    const { smtp, addressId } = await inData('<>');
    await using _ = smtp;
    expect(await smtp.say('Subject: bounce\r\n\r\nx\r\n.')).toMatch(/^250 /);
    expect((await only(addressId))?.envelope.mail_from).toBe('');
  });
});

const replyTo = async (...lines: string[]) =>
  (
    await play(plain.smtpPort, [
      ['EHLO mx.sender.example', '250'],
      ...lines.map((line) => [line, ''] as const),
    ])
  ).at(-1);

describe('RFC 6531: non-ASCII addresses', () => {
  test.each([
    [
      'a sender',
      ['MAIL FROM:<jörg@sender.example>'],
      '553 5.6.7 Non-ASCII addresses require the SMTPUTF8 parameter',
    ],
    [
      'a recipient',
      ['MAIL FROM:<ann@sender.example>', 'RCPT TO:<jörg@in.example>'],
      '553 5.6.7 Non-ASCII addresses require the SMTPUTF8 parameter',
    ],
  ])('§3.5: %s without the SMTPUTF8 parameter is refused', async (_, lines, reply) => {
    expect(await replyTo(...lines)).toBe(reply);
  });

  test('with it, both spellings of the domain work, and the payload is UTF-8', async () => {
    const address = await plain.address('/unused', { address: 'jörg@xn--bcher-kva.example' });
    await using smtp = await dialogue(plain.smtpPort);
    const lines = [
      'EHLO mx.sender.example',
      'MAIL FROM:<änn@bücher.example> BODY=8BITMIME SMTPUTF8',
      'RCPT TO:<JÖRG@bücher.example>',
      'RCPT TO:<jo\u0308rg@xn--bcher-kva.example>',
    ];
    for (const line of lines) expect(await smtp.say(line)).toMatch(/^250/);
    await smtp.say('DATA');
    expect(
      await smtp.say(
        'From: Änn <änn@bücher.example>\r\nTo: jörg@bücher.example\r\nSubject: Grüße 🎉\r\n\r\nschön\r\n.',
      ),
    ).toMatch(/^250 /);
    expect(await only(address.id)).toMatchObject({
      envelope: { mail_from: 'änn@bücher.example', rcpt_to: ['JÖRG@bücher.example'] },
      headers: {
        from: '"Änn" <änn@bücher.example>',
        to: 'jörg@bücher.example',
        subject: 'Grüße 🎉',
      },
      content: { text: 'schön\n' },
    });
  });

  test('an IDN domain in A-labels is ASCII: it needs no parameter, and the payload has it as sent', async () => {
    const address = await plain.address('/unused', { address: 'ascii@xn--bcher-kva.example' });
    await using smtp = await dialogue(plain.smtpPort);
    for (const line of [
      'EHLO mx.sender.example',
      'MAIL FROM:<Ann@xn--mnchen-3ya.Example>',
      'RCPT TO:<ascii@xn--bcher-kva.example>',
    ])
      expect(await smtp.say(line)).toMatch(/^250/);
    await smtp.say('DATA');
    expect(await smtp.say('Subject: x\r\n\r\nx\r\n.')).toMatch(/^250 /);
    expect((await only(address.id))?.envelope).toMatchObject({
      mail_from: 'Ann@xn--mnchen-3ya.example',
      rcpt_to: ['ascii@xn--bcher-kva.example'],
    });
  });
});

test('the words of replies are ours', async () => {
  await using smtp = await dialogue(plain.smtpPort);
  expect(await smtp.say('HELO mx.sender.example')).toMatch(/^250 \S+$/);
  expect(await smtp.say('HELP')).toMatch(/^214 2\.0\.0 Commands: EHLO, /);
  expect(await smtp.say('VRFY ann')).toMatch(/^252 2\.1\.5 Send an email: addresses are checked/);
  expect(await smtp.say('MAIL FROM:ann')).toBe('501 5.1.7 Syntax error in parameters');
  expect(await smtp.say('MAIL FROM:<a@b.example> RET=HDRS')).toBe(
    '555 5.5.4 MAIL FROM or RCPT TO parameter not recognized or not implemented',
  );
  expect(await smtp.say('DATA')).toBe('503 5.5.1 Bad sequence of commands');
});
