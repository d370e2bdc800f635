/**
 * docs/project/smtp-checklist.md on commands: line ends, STARTTLS, pipelining, parameters, greetings
 * (RFC 5321, 1870, 2920, 3207, 6531).
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';

import { ensureTls } from '../../../services/standalone/keys.ts';
import { testDir } from '../../support/servers.ts';
import { dialogue, exchange, over, play, startTls, type Step } from '../../support/smtp-play.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { startRecordingGateway } from '../recording-gateway.ts';

const dir = await useInFile(testDir());
const { certFile, keyFile } = await ensureTls(dir.path);
const gateway = await useInFile(
  startRecordingGateway({
    TLS_CERT_FILE: certFile,
    TLS_KEY_FILE: keyFile,
    SMTP_HOSTNAME: 'localhost',
  }),
);

const refused = (command: string, reply: string) =>
  gateway.count('inlet_mails_refused_total', { command, reply });
/** Replies to raw bytes after EHLO. None of them is executed, and `NOOP` still works afterwards. */
async function answersTo(...steps: Step[]): Promise<string[]> {
  await using smtp = await dialogue(gateway.port);
  return await exchange(smtp, [
    { send: 'EHLO a\r\n', expect: '250' },
    ...steps,
    { send: 'NOOP\r\n', expect: '250 2.0.0' },
  ]);
}
/**
 * Everything that a connection receives if it sends these bytes immediately, or after the greeting.
 */
async function allHeard(bytes: string, afterGreeting = true): Promise<string> {
  const socket = connect(gateway.port, '127.0.0.1');
  await once(socket, 'connect');
  const smtp = over(socket);
  if (afterGreeting) await smtp.hear();
  socket.write(bytes);
  return smtp.end();
}

describe('checklist 3: a bad line end', () => {
  test.each<[string, string]>([
    ['a bare LF', 'MAIL FROM:<a@b.example>\n'],
    ['a bare CR inside', 'MAIL FROM:<a@b.example>\rRSET\r\n'],
    ['CR CR LF', 'MAIL FROM:<a@b.example>\r\r\n'],
    ['a NUL', 'MAIL FROM:<a@b.example>\0\r\n'],
    ['bytes that are not UTF-8', 'MAIL FROM:<\xe9@b.example> SMTPUTF8\r\n'],
  ])('%s: 500 5.5.2, not executed, and counted', async (_, line) => {
    const before = await refused('mail', 'bad_line');
    await using smtp = await dialogue(gateway.port);
    await smtp.say('EHLO a');
    expect(await smtp.say(Buffer.from(line, 'latin1'))).toBe(
      '500 5.5.2 Syntax error: a command is a line of text that ends with CR LF',
    );
    expect(await smtp.say('RCPT TO:<x@y.example>')).toMatch(/^503 5\.5\.1 /); // there was no MAIL
    expect(await refused('mail', 'bad_line')).toBe(before + 1);
  });

  test('of a group, only the lines with a correct end are executed, wherever TCP splits them', async () => {
    for (const byByte of [false, true]) {
      await using smtp = await dialogue(gateway.port);
      const group =
        'EHLO a\nEHLO b\r\nNOOP\nMAIL FROM:<a@b.example>\r\nRSET\nMAIL FROM:<c@d.example>\r\n';
      expect(
        await exchange(
          smtp,
          [
            {
              send: group,
              expect: ['500 5.5.2', '250-', '500 5.5.2', '250 2.1.0', '500 5.5.2', '503 5.5.1'],
            },
          ],
          { byByte },
        ),
      ).toHaveLength(6);
    }
  });

  test('DATA with a bare LF starts no email, so nothing can be smuggled after it', async () => {
    const { address } = await gateway.newAddress();
    const group = `MAIL FROM:<a@b.example>\r\nRCPT TO:<${address}>\r\nDATA\nNOOP\r\n`;
    expect(
      await answersTo({ send: group, expect: ['250', '250', '500 5.5.2', '250 2.0.0'] }),
    ).toHaveLength(6);
  });

  test('the tenth ends the connection', async () => {
    expect((await allHeard('NOOP\n'.repeat(20))).trimEnd().split('\r\n')).toEqual([
      ...Array.from({ length: 9 }, () => expect.stringMatching(/^500 5\.5\.2 /)),
      '421 4.7.0 Too many errors, closing connection',
    ]);
  });

  test('a line that a disconnect cuts off is not a command', async () => {
    const socket = connect(gateway.port, '127.0.0.1');
    await once(socket, 'connect');
    const smtp = over(socket);
    await smtp.hear();
    socket.end('QUIT');
    expect(await smtp.end()).toBe('');
  });
});

describe('checklist 5: STARTTLS', () => {
  test.each([0, 1, 120])(
    '%d commands that were sent in the clear after it are dropped',
    async (commands) => {
      await using plain = await dialogue(gateway.port);
      await exchange(plain, [
        { send: 'EHLO a\r\nMAIL FROM:<before@sender.example>\r\n', expect: ['250', '250'] },
      ]);
      plain.socket.removeAllListeners('data');
      const started = once(plain.socket, 'data');
      plain.socket.write(`STARTTLS\r\n${'RSET\r\n'.repeat(commands)}`);
      expect(String(await started)).toBe('220 2.0.0 Ready to start TLS\r\n');
      plain.socket.removeAllListeners('data');
      const { connect: connectTls } = await import('node:tls');
      const socket = connectTls({ socket: plain.socket, rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      const secure = over(socket);
      expect(
        await exchange(secure, [
          // the greeting before counts no more
          { send: 'MAIL FROM:<a@b.example>\r\n', expect: '503 5.5.1' },
          // nor the sender
          { send: 'EHLO a\r\nRCPT TO:<x@y.example>\r\n', expect: ['250', '503 5.5.1'] },
        ]),
      ).toHaveLength(3);
    },
  );

  test('it is not offered inside TLS, and refused there', async () => {
    await using plain = await dialogue(gateway.port);
    await plain.say('EHLO a');
    await using secure = await startTls(plain);
    expect(await secure.say('EHLO a')).not.toContain('STARTTLS');
    expect(await secure.say('STARTTLS')).toMatch(/^503 5\.5\.1 /);
    expect(await secure.say('NOOP')).toMatch(/^250 /);
  });

  test('parameters: 501 5.5.4', async () => {
    expect(await answersTo({ send: 'STARTTLS now\r\n', expect: '501 5.5.4' })).toHaveLength(3);
  });

  test('a failed handshake does not affect other clients', async () => {
    for (const bytes of ['not TLS at all\r\n', '\x16\x03\x01\x00\x05hello']) {
      await using smtp = await dialogue(gateway.port);
      await smtp.say('EHLO a');
      await smtp.say('STARTTLS');
      smtp.socket.write(bytes, 'latin1');
      await smtp.end();
    }
    expect(await answersTo()).toHaveLength(2);
  });
});

describe('checklist 6: pipelined commands', () => {
  test('one refused recipient does not affect the others; QUIT ends the group', async () => {
    const [one, two] = [await gateway.newAddress(), await gateway.newAddress()];
    for (const byByte of [false, true]) {
      await using smtp = await dialogue(gateway.port);
      await smtp.say('EHLO a');
      const group =
        `MAIL FROM:<a@b.example>\r\nRCPT TO:<${one.address}>\r\n` +
        `RCPT TO:<nobody@in.example>\r\nRCPT TO:<${two.address}>\r\nDATA\r\n`;
      const mail = `Subject: group ${byByte}\r\n\r\nx\r\n.\r\nMAIL FROM:<a@b.example>\r\nQUIT\r\nNOOP\r\n`;
      await exchange(
        smtp,
        [
          {
            send: group + mail,
            expect: [
              '250',
              '250',
              '550 5.1.1',
              '250',
              '354',
              '250 2.6.0',
              '250 2.1.0',
              '221 2.0.0',
            ],
          },
        ],
        { byByte },
      );
      expect(await smtp.end()).toBe('');
    }
    for (const { id } of [one, two])
      expect((await gateway.recorded(id)).map(({ mail }) => mail.toString()).toSorted()).toEqual([
        'Subject: group false\r\n\r\nx\r\n',
        'Subject: group true\r\n\r\nx\r\n',
      ]);
  });

  test('EHLO and RSET end the current transaction', async () => {
    const { address } = await gateway.newAddress();
    expect(
      await answersTo({
        send:
          `MAIL FROM:<a@b.example>\r\nRCPT TO:<${address}>\r\nEHLO b\r\nDATA\r\n` +
          `MAIL FROM:<a@b.example>\r\nRSET\r\nRCPT TO:<${address}>\r\n`,
        expect: ['250', '250', '250-', '503 5.5.1', '250', '250', '503 5.5.1'],
      }),
    ).toHaveLength(9);
  });
});

test('checklist 8: 100 recipients are accepted, the next one gets 452; each transaction counts its own', async () => {
  const known = await gateway.newAddress();
  const addresses = await Promise.all(Array.from({ length: 101 }, () => gateway.newAddress()));
  const group = addresses.map((one) => `RCPT TO:<${one.address}>\r\n`).join('');
  expect(
    await answersTo(
      {
        send: `MAIL FROM:<a@b.example>\r\n${group}`,
        expect: ['250', ...Array.from({ length: 100 }, () => '250 2.1.5'), '452 4.5.3'],
      },
      {
        send: `RSET\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<${known.address}>\r\n`,
        expect: ['250', '250', '250 2.1.5'],
      },
    ),
  ).toHaveLength(107);
});

test('checklist 9: the null sender is always accepted, also with several recipients', async () => {
  const [one, two] = [await gateway.newAddress(), await gateway.newAddress()];
  for (const from of ['<>', '<> SIZE=100', '<> BODY=8BITMIME']) {
    expect(
      await answersTo({
        send: `MAIL FROM:${from}\r\nRCPT TO:<${one.address}>\r\nRCPT TO:<${two.address}>\r\nRSET\r\n`,
        expect: ['250', '250', '250', '250'],
      }),
    ).toHaveLength(6);
  }
});

test.each([
  ['12: a disabled address', { is_enabled: false }, '550 5.2.1 Address is disabled'],
  [
    '13: an expired address',
    { is_permanent: false, expires_at: new Date(Date.now() - 1000) },
    '550 5.1.1 No such address',
  ],
  ['13: a deleted address', { deleted_at: new Date() }, '550 5.1.1 No such address'],
])('checklist %s is refused at RCPT, never accepted and dropped', async (_, fields, reply) => {
  const { address } = await gateway.newAddress(fields);
  expect(
    await answersTo({
      send: `MAIL FROM:<a@b.example>\r\nRCPT TO:<${address}>\r\nDATA\r\n`,
      expect: ['250', reply, '503 5.5.1'],
    }),
  ).toHaveLength(5);
});

describe('checklist 18: non-ASCII addresses', () => {
  test('SMTPUTF8 and 8BITMIME are offered', async () => {
    expect(
      (await play(gateway.port, [['EHLO a', '250']]))[0]
        ?.split('\r\n')
        .map((line) => line.slice(4)),
    ).toEqual(expect.arrayContaining(['SMTPUTF8', '8BITMIME']));
  });

  test.each<[string, Step[]]>([
    ['a sender', [{ send: 'MAIL FROM:<jörg@sender.example>\r\n', expect: '553 5.6.7' }]],
    ["a sender's domain", [{ send: 'MAIL FROM:<ann@bücher.example>\r\n', expect: '553 5.6.7' }]],
    [
      'a recipient',
      [
        {
          send: 'MAIL FROM:<a@b.example>\r\nRCPT TO:<jörg@in.example>\r\n',
          expect: ['250', '553 5.6.7'],
        },
      ],
    ],
    [
      "a recipient's domain",
      [
        {
          send: 'MAIL FROM:<a@b.example>\r\nRCPT TO:<box@bücher.example>\r\n',
          expect: ['250', '553 5.6.7'],
        },
      ],
    ],
  ])('%s without the parameter: 553 5.6.7', async (_, steps) => {
    expect((await answersTo(...steps)).length).toBeGreaterThan(2);
  });

  test.each([
    'box@bücher.example',
    'box@xn--bcher-kva.example',
    'BOX@BÜCHER.example',
    'box@bu\u0308cher.example',
  ])('with it, %s is one address; the payload shows it as it was sent', async (named) => {
    const { address, id } = await gateway.newAddress({
      address: `box-${crypto.randomUUID()}@xn--bcher-kva.example`,
    });
    const spelled = named.replace(/^box/i, address.split('@')[0] ?? '');
    expect(
      await answersTo(
        {
          send: `MAIL FROM:<änn@bücher.example> SMTPUTF8\r\nRCPT TO:<${spelled}>\r\nDATA\r\n`,
          expect: ['250', '250', '354'],
        },
        { send: 'Subject: Grüße\r\n\r\nx\r\n.\r\n', expect: '250' },
      ),
    ).toHaveLength(6);
    const [kept] = await gateway.recorded(id);
    expect(kept?.trace).toContain('Return-Path: <änn@bücher.example>');
    expect(kept?.trace).toContain(`for <${spelled}>`);
  });
});

test('checklist 19: neither CHUNKING nor BINARYMIME is offered, and BDAT is not a command', async () => {
  expect(
    (
      await play(gateway.port, [
        ['EHLO a', '250'],
        ['BDAT 5 LAST', '500 5.5.2'],
        ['MAIL FROM:<a@b.example> BODY=BINARYMIME', '501 5.5.4'],
      ])
    )[0],
  ).not.toMatch(/CHUNKING|BINARYMIME/);
});

describe('checklist 24: command lines', () => {
  test.each([
    [512, '250'],
    [2048, '250'],
    [2049, '500 5.5.2'],
    [16_000, '500 5.5.2'],
  ])('of %d octets', async (length, reply) => {
    expect(
      await answersTo({ send: `NOOP ${'x'.repeat(length - 5)}\r\n`, expect: reply }),
    ).toHaveLength(3);
  });

  test('one that never ends: 500 5.5.2, and the connection ends', async () => {
    expect(await allHeard('x'.repeat(100_000))).toMatch(/^500 5\.5\.2 Line too long\r\n$/);
    expect(await refused('other', 'line_too_long')).toBeGreaterThan(0);
  });
});

describe('checklist 25: greetings', () => {
  test('greeting and EHLO reply have the name of the certificate', async () => {
    await using smtp = await dialogue(gateway.port);
    expect(smtp.greeting).toMatch(/^220 localhost ESMTP /);
    expect(await smtp.say('EHLO a')).toMatch(/^250-localhost\r\n/);
    const secure = await startTls(smtp);
    expect(secure.socket.getPeerCertificate().subject.CN).toBe('localhost');
  });

  test.each([
    '[127.0.0.1]',
    '[IPv6:::1]',
    '[999.1.2.3]',
    '[nonsense',
    '-bad-',
    'under_score',
    'PC von Jörg'.replaceAll(' ', '_'),
    '1.2.3.4',
    'x'.repeat(255),
  ])('EHLO %s is accepted', async (name) => {
    expect(
      await play(gateway.port, [
        [`EHLO ${name}`, '250'],
        ['MAIL FROM:<a@b.example>', '250'],
        [`HELO ${name}`, '250 '],
      ]),
    ).toHaveLength(3);
  });

  test.each(['EHLO', 'HELO', 'EHLO two names', `EHLO ${'x'.repeat(400)}`])(
    '%s: 501',
    async (line) => {
      expect(await play(gateway.port, [[line, '501 ']])).toHaveLength(1);
    },
  );

  test('MAIL requires one', async () => {
    expect(
      await play(gateway.port, [
        ['MAIL FROM:<a@b.example>', '503 5.5.1'],
        ['RCPT TO:<a@b.example>', '503 5.5.1'],
        ['DATA', '503 5.5.1'],
      ]),
    ).toHaveLength(3);
  });
});

describe('checklist 26: clients that do not speak SMTP', () => {
  test('before the greeting: 421, and no greeting', async () => {
    const before = await refused('connect', 'talked_too_soon');
    expect(await allHeard('EHLO a\r\n', false)).toBe(
      '421 4.7.0 Protocol violation: command before greeting\r\n',
    );
    expect(await refused('connect', 'talked_too_soon')).toBe(before + 1);
  });

  test.each([
    'GET / HTTP/1.1',
    'POST /mail HTTP/1.0',
    'OPTIONS * HTTP/1.1',
    'CONNECT mx:25 HTTP/1.1',
    'PRI * HTTP/2.0',
  ])('%s: 421', async (line) => {
    expect(await allHeard(`${line}\r\nHost: mx\r\n\r\nMAIL FROM:<a@b.example>\r\n`)).toBe(
      '421 4.7.0 Protocol violation: HTTP request to an SMTP server\r\n',
    );
  });

  test('a TLS handshake: 500 5.5.2', async () => {
    expect(
      await answersTo({ send: '\x16\x03\x01\x02\0\x01\0\x01\x7f\x03\x03\n', expect: '500 5.5.2' }),
    ).toHaveLength(3);
  });

  test.each([
    'WIZ x',
    'SHELL',
    'KILL',
    'XCLIENT ADDR=1.2.3.4',
    'XFORWARD ADDR=1.2.3.4',
    'AUTH PLAIN AGEAYg==',
    'EXPN list',
    'TURN',
    'ETRN x',
    'HELLO?',
  ])('%s is not a command: 500 5.5.2', async (line) => {
    expect(
      await answersTo({ send: `${line}\r\n`, expect: '500 5.5.2 Command not recognized' }),
    ).toHaveLength(3);
  });
});

async function protocolErrors(): Promise<number> {
  const counts = ['bad_sequence', 'bad_parameters', 'unknown_command'].flatMap((reply) =>
    ['mail', 'rcpt', 'data', 'other'].map((command) => refused(command, reply)),
  );
  return (await Promise.all(counts)).reduce((sum, one) => sum + one, 0);
}

test('every refusal except that of a greeting has an enhanced code, and all are counted', async () => {
  const before = await protocolErrors();
  const lines = [
    'RCPT TO:<a@b.example>',
    'MAIL FROM:a@b.example',
    'MAIL FROM:<a@b.example> SIZE=x',
    'MAIL FROM:<a@b.example> SIZE',
    'MAIL FROM:<a@b.example> BODY=9BIT',
    'VRFY',
    'DATA',
    'FOO',
    'MAIL TO:<a@b.example>',
  ];
  const replies = await answersTo(...lines.map((line) => ({ send: `${line}\r\n`, expect: '5' })));
  for (const reply of replies.slice(1, -1)) expect(reply).toMatch(/^5\d\d 5\.\d\.\d /);
  expect(await protocolErrors()).toBe(before + lines.length);
});

test.each([
  'user.@docomo.example',
  'a..b@docomo.example',
  'x@under_score.example',
  'bounce+SRS0=x=y=z.example=ann@fwd.example',
  `${'l'.repeat(70)}@long.example`,
  'prvs=1234=ann@batv.example',
])('mail from the unusual address %s is accepted', async (from) => {
  expect(
    await play(gateway.port, [
      ['EHLO a', '250'],
      [`MAIL FROM:<${from}>`, '250 2.1.0'],
    ]),
  ).toHaveLength(2);
});

test.each<[string, string]>([
  ['"ann smith"@sender.example', '"ann smith"@sender.example'],
  ['"ann@home"@sender.example', '"ann@home"@sender.example'],
  ['"<ann> \\"the\\" smith"@sender.example', '"<ann> \\"the\\" smith"@sender.example'],
  ['@relay.example:"ann smith"@sender.example', '"ann smith"@sender.example'],
])(
  'RFC 5321 §4.1.2: mail from %s, with a quoted local part, is accepted',
  async (path, mailFrom) => {
    const { smtp, addressId } = await gateway.inData({ from: `<${path}> SIZE=100` });
    await using _ = smtp;
    expect(await smtp.say('Subject: x\r\n\r\nx\r\n.')).toMatch(/^250 /);
    expect((await gateway.recorded(addressId))[0]?.trace).toMatch(
      new RegExp(`^Return-Path: <${RegExp.escape(mailFrom)}>\r\n`),
    );
  },
);

test.each([
  '<"ann smith@sender.example>',
  '<"ann" smith@sender.example>',
  '<ann\ue040home@x@sender.example> SMTPUTF8',
])('mail from %s is refused', async (path) => {
  expect(
    await play(gateway.port, [
      ['EHLO a', '250'],
      [`MAIL FROM:${path}`, '501 5.1.7'],
    ]),
  ).toHaveLength(2);
});

test('a sender domain in A-labels that is not a host name is kept', async () => {
  const domain = 'xn--a-0hc.example'; // a Hebrew letter behind a Latin one, RFC 5893
  const { smtp, addressId } = await gateway.inData({ from: `<ann@${domain}>` });
  await using _ = smtp;
  expect(await smtp.say('Subject: x\r\n\r\nx\r\n.')).toMatch(/^250 /);
  expect((await gateway.recorded(addressId))[0]?.trace).toMatch(/^Return-Path: <ann@.+\.example>/);
});
