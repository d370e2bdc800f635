/**
 * docs/project/smtp-checklist.md on DATA: the end of an email, its bytes, trace headers and size
 * (RFC 5321 §4.1.1.4, §4.4, §4.5.2, §6.3; RFC 1870).
 */
import { describe, expect, test } from 'vitest';

import { ensureTls } from '../../../services/standalone/keys.ts';
import { testDir } from '../../support/servers.ts';
import {
  dialogue,
  exchange,
  type SmtpDialogue,
  startTls,
  writeAlone,
} from '../../support/smtp-play.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { startRecordingGateway } from '../recording-gateway.ts';

const LIMIT = 100_000;
const dir = await useInFile(testDir());
const { certFile, keyFile } = await ensureTls(dir.path);
const gateway = await useInFile(
  startRecordingGateway({
    MAX_MESSAGE_BYTES: String(LIMIT),
    TLS_CERT_FILE: certFile,
    TLS_KEY_FILE: keyFile,
    SMTP_HOSTNAME: 'mx.in.example',
  }),
);

/** Sends these bytes and the end of DATA; resolves with the email as stored. */
async function sent(bytes: string | Buffer, { byByte = false } = {}) {
  const { smtp, addressId } = await gateway.inData();
  await using _ = smtp;
  const whole = Buffer.concat([Buffer.from(bytes), Buffer.from('.\r\n')]);
  if (byByte) for (const byte of whole) await writeAlone(smtp.socket, Buffer.from([byte]));
  else smtp.socket.write(whole);
  expect(await smtp.hear()).toMatch(/^250 2\.6\.0 /);
  const kept = await gateway.recorded(addressId);
  expect(kept).toHaveLength(1);
  return {
    trace: kept[0]?.trace ?? '',
    mail: kept[0]?.mail.toString('latin1'),
    warnings: kept[0]?.warnings,
  };
}

describe('checklist 1: only CRLF.CRLF ends an email', () => {
  const PROBES = [
    '\n.\n',
    '\n.\r',
    '\r.\n',
    '\r.\r',
    '\n.\r\n',
    '\r.\r\n',
    '\r\n.\n',
    '\r\n.\r',
    '\r\n\0.\r\n',
    '\r\n.\r\r\n',
  ];
  test.each(
    PROBES.flatMap(
      (probe) =>
        [
          [probe, false],
          [probe, true],
        ] as const,
    ),
  )('%j, byte by byte: %s', async (probe, byByte) => {
    const mail = `Subject: probe\r\n\r\nbefore${probe}MAIL FROM:<smuggled@sender.example>\r\n`;
    // a line's own first dot was not stuffed: it goes, as ever
    expect((await sent(mail, { byByte })).mail).toBe(mail.replace('\r\n.', '\r\n'));
  });

  test.each([false, true])(
    'bytes after the end are the next command, byte by byte: %s',
    async (byByte) => {
      const { smtp } = await gateway.inData();
      await using _ = smtp;
      expect(
        await exchange(
          smtp,
          [
            {
              send: 'Subject: x\r\n\r\nx\r\n.\r\nNOOP\r\nQUIT\r\n',
              expect: ['250 2.6.0', '250 2.0.0', '221 2.0.0'],
            },
          ],
          { byByte },
        ),
      ).toHaveLength(3);
    },
  );
});

describe('checklist 2: a bare CR or LF', () => {
  test.each([
    'bare\rCR',
    'bare\nLF',
    'LF\n.\nand dot',
    'CR\r.\rand dot',
    '\rat the start',
    'many\n\n\r\r\n\rmixed',
    'NUL \0 too',
  ])('%j is stored unchanged', async (body) => {
    const mail = `Subject: x\r\n\r\n${body}\r\n`;
    expect((await sent(mail)).mail).toBe(mail);
  });

  test('is measured, and is a warning in the payload', async () => {
    const before = await gateway.count('inlet_mails_with_bare_line_ends_total');
    await sent('Subject: clean\r\n\r\nx\r\n');
    expect(await gateway.count('inlet_mails_with_bare_line_ends_total')).toBe(before);
    const { warnings } = await sent('Subject: not clean\r\n\r\nx\ny\r\n');
    expect(await gateway.count('inlet_mails_with_bare_line_ends_total')).toBe(before + 1);
    expect(warnings).toMatchObject([{ code: 'bare_line_ends' }]);
  });
});

describe('checklist 4: dots', () => {
  test.each([false, true])(
    'one leading dot is taken off each line, also the first; byte by byte: %s',
    async (byByte) => {
      const { mail } = await sent('..first\r\n..\r\n...two\r\nno.dot\r\n.no stuffing\r\n..\r\n', {
        byByte,
      });
      expect(mail).toBe('.first\r\n.\r\n..two\r\nno.dot\r\nno stuffing\r\n.\r\n');
    },
  );

  test('cut in two at any byte', async () => {
    const mail = '..\r\n..x\r\n\r\n...\r\n.\r\n';
    for (let cut = 1; cut < mail.length; cut++) {
      const { smtp, addressId } = await gateway.inData();
      await writeAlone(smtp.socket, Buffer.from(mail.slice(0, cut)));
      smtp.socket.write(mail.slice(cut));
      expect(await smtp.hear()).toMatch(/^250 2\.6\.0 /);
      expect((await gateway.recorded(addressId)).map((one) => one.mail.toString())).toEqual([
        '.\r\n.x\r\n\r\n..\r\n',
      ]);
      smtp.socket.destroy();
    }
  });
});

const refusedForSize = (command: string) =>
  gateway.count('inlet_mails_refused_total', { command, reply: 'message_too_big' });

describe('checklist 7: size', () => {
  test('declared above the limit: 552 5.3.4 at MAIL, and counted', async () => {
    const before = await refusedForSize('mail');
    await using smtp = await dialogue(gateway.port);
    await exchange(smtp, [
      { send: 'EHLO a\r\n', expect: '250-' },
      { send: `MAIL FROM:<a@b.example> SIZE=${LIMIT}\r\nRSET\r\n`, expect: ['250', '250'] },
      { send: `MAIL FROM:<a@b.example> SIZE=${LIMIT + 1}\r\n`, expect: '552 5.3.4' },
      { send: 'MAIL FROM:<a@b.example> SIZE=99999999999999999999\r\n', expect: '552 5.3.4' },
    ]);
    expect(await refusedForSize('mail')).toBe(before + 2);
  });

  test('sent above the limit: 552 5.3.4 at its end, not stored, counted; the connection continues', async () => {
    const before = await refusedForSize('data');
    const { smtp, addressId, address } = await gateway.inData();
    await using _ = smtp;
    smtp.socket.write(`Subject: big\r\n\r\n${`${'x'.repeat(98)}\r\n`.repeat(LIMIT / 50)}.\r\n`);
    expect(await smtp.hear()).toMatch(/^552 5\.3\.4 /);
    expect(await gateway.recorded(addressId)).toEqual([]);
    expect(await refusedForSize('data')).toBe(before + 1);
    await exchange(smtp, [
      {
        send: `MAIL FROM:<a@b.example>\r\nRCPT TO:<${address}>\r\nDATA\r\n`,
        expect: ['250', '250', '354'],
      },
      { send: 'x\r\n.\r\n', expect: '250' },
    ]);
  });
});

const tracedBy = async (
  play: (smtp: SmtpDialogue) => Promise<SmtpDialogue>,
  { helo = 'EHLO mx.sender.example', mail = 'MAIL FROM:<ann@sender.example>', recipients = 1 } = {},
) => {
  const addresses = await Promise.all(
    Array.from({ length: recipients }, () => gateway.newAddress()),
  );
  await using plain = await dialogue(gateway.port);
  await using smtp = await play(plain);
  await exchange(smtp, [
    { send: `${helo}\r\n`, expect: '250' },
    { send: `${mail}\r\n`, expect: '250' },
  ]);
  for (const { address } of addresses)
    expect(await smtp.say(`RCPT TO:<${address}>`)).toMatch(/^250/);
  await exchange(smtp, [
    { send: 'DATA\r\n', expect: '354' },
    {
      send: 'Received: from before by here; Mon, 2 Nov 2026 10:00:00 +0000\r\nSubject: x\r\n\r\nx\r\n.\r\n',
      expect: '250',
    },
  ]);
  const kept = await gateway.recorded(addresses[0]?.id ?? '');
  return { trace: kept[0]?.trace ?? '', address: addresses[0]?.address };
};
const asItIs = async (smtp: SmtpDialogue) => smtp;
const overTls = async (smtp: SmtpDialogue) => {
  await smtp.say('EHLO before.tls');
  return startTls(smtp);
};

describe('checklist 20: Received is added once', () => {
  const DATE = /;\r\n\t\w{3}, \d{2} \w{3} \d{4} \d\d:\d\d:\d\d \+0000\r\n$/;

  test.each<[string, Parameters<typeof tracedBy>[0], Parameters<typeof tracedBy>[1], string]>([
    ['HELO', asItIs, { helo: 'HELO mx.sender.example' }, 'SMTP'],
    ['EHLO', asItIs, {}, 'ESMTP'],
    ['SMTPUTF8', asItIs, { mail: 'MAIL FROM:<änn@sender.example> SMTPUTF8' }, 'UTF8SMTP'],
    ['TLS', overTls, {}, 'ESMTPS'],
    [
      'SMTPUTF8 over TLS',
      overTls,
      { mail: 'MAIL FROM:<änn@sender.example> SMTPUTF8' },
      'UTF8SMTPS',
    ],
  ])('%s', async (_, play, how, protocol) => {
    const { trace: text, address } = await tracedBy(play, how);
    const tls = protocol.endsWith('S');
    expect(text.match(/^Received:/gm)).toHaveLength(1);
    expect(text).toContain(
      `Received: from mx.sender.example ([127.0.0.1])${tls ? ' (TLSv1.3)' : ''}\r\n` +
        `\tby mx.in.example with ${protocol} id `,
    );
    expect(text).toMatch(tls ? / id [\w.]+ tls TLS_[A-Z0-9_]+\r\n/ : / id [\w.]+\r\n/);
    expect(text).toContain(`\r\n\tfor <${address}>;`);
    expect(text).toMatch(DATE);
  });

  test('with several recipients, it names none', async () => {
    const { trace: text } = await tracedBy(asItIs, { recipients: 2 });
    expect(text).not.toContain('for <');
    expect(text).toMatch(DATE);
  });

  test.each(['(comment)', 'a;b', '<x>', 'a"b', '[127.0.0.1', 'Grüße;'])(
    'a client with the name %s writes nothing into it',
    async (name) => {
      expect((await tracedBy(asItIs, { helo: `EHLO ${name}` })).trace).toContain(
        'Received: from unknown ([127.0.0.1])\r\n\tby ',
      );
    },
  );
});

describe('checklist 21: Return-Path is added once', () => {
  test.each([
    ['<ann@sender.example>', '<ann@sender.example>'],
    ['<>', '<>'],
    ['<@relay.example:ann@sender.example>', '<ann@sender.example>'],
  ])('from %s', async (from, path) => {
    const { smtp, addressId } = await gateway.inData({ from });
    await using _ = smtp;
    expect(
      await smtp.say('Return-Path: <prior@sender.example>\r\nSubject: x\r\n\r\nx\r\n.'),
    ).toMatch(/^250 /);
    const [kept] = await gateway.recorded(addressId);
    expect(kept?.trace.match(/^Return-Path: .*$/gm)).toEqual([`Return-Path: ${path}`]);
    expect(kept?.trace.startsWith(`Return-Path: ${path}\r\n`)).toBe(true);
    expect(kept?.mail.toString()).toBe(
      'Return-Path: <prior@sender.example>\r\nSubject: x\r\n\r\nx\r\n',
    ); // kept below ours
  });
});

const received = (times: number) =>
  'Received: from a by b; Mon, 2 Nov 2026 10:00:00 +0000\r\n'.repeat(times);

describe('checklist 22: a mail loop', () => {
  test.each([
    [100, /^250 /],
    [101, /^554 5\.4\.6 /],
  ])('%d Received headers', async (times, reply) => {
    const { smtp } = await gateway.inData();
    await using _ = smtp;
    // the body does not count
    expect(await smtp.say(`${received(times)}Subject: x\r\n\r\n${received(200)}.`)).toMatch(reply);
  });
});

describe('checklist 24: line lengths', () => {
  test.each([998, 999, 2_000, 90_000])(
    'a text line of %d octets is accepted and never folded',
    async (length) => {
      const mail = `Subject: x\r\n\r\n${'x'.repeat(length)}\r\n`;
      expect((await sent(mail)).mail).toBe(mail);
    },
  );
});
