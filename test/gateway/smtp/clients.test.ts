/**
 * Common mail clients against the gateway: nodemailer, smtplib, swaks, OpenSSL, Postfix's
 * smtp-source.
 */
import { createTransport } from 'nodemailer';
import { describe, expect, test } from 'vitest';

import { ensureTls } from '../../../services/standalone/keys.ts';
import { findOpenssl, findPython, findSmtpSource, findSwaks } from '../../support/mail-clients.ts';
import { startPipeline } from '../../support/pipeline.ts';
import { testDir } from '../../support/servers.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { startRecordingGateway } from '../recording-gateway.ts';
import { storedMails } from '../stored-mail.ts';

const [smtpSource, swaks, python, openssl] = await Promise.all([
  findSmtpSource(),
  findSwaks(),
  findPython(),
  findOpenssl(),
]);
const dir = await useInFile(testDir());
const tls = await ensureTls(dir.path);
const caFile = tls.caFile;
const gateway = await useInFile(
  startRecordingGateway({
    TLS_CERT_FILE: tls.certFile,
    TLS_KEY_FILE: tls.keyFile,
    SMTP_HOSTNAME: 'localhost',
  }),
);

const onlyMail = async (addressId: string) => {
  const kept = await gateway.recorded(addressId);
  expect(kept).toHaveLength(1);
  return { trace: kept[0]?.trace ?? '', text: kept[0]?.mail.toString() ?? '' };
};
const DOTS = '.\n..\n...\n.x\n';

describe('nodemailer', () => {
  test.each([
    [true, 'ESMTP'],
    [false, 'ESMTPS'],
  ])('without STARTTLS: %s', async (ignoreTLS, protocol) => {
    const { address, id } = await gateway.newAddress();
    const mailer = createTransport({
      host: '127.0.0.1',
      port: gateway.port,
      ignoreTLS,
      tls: { rejectUnauthorized: false },
    });
    await mailer.sendMail({
      from: 'ann@sender.example',
      to: address,
      subject: 'from nodemailer',
      text: DOTS,
      attachments: [{ filename: 'ü.bin', content: Buffer.alloc(100_000, 7) }],
    });
    mailer.close();
    const { trace, text } = await onlyMail(id);
    expect(trace).toContain(`with ${protocol} id`);
    expect(text).toContain('\r\n.\r\n..\r\n...\r\n.x\r\n');
    expect((await storedMails(gateway.pipeline.nats, id))[0]?.payload.attachments).toMatchObject([
      { filename: 'ü.bin', size_bytes: 100_000 },
    ]);
  });
});

const SMTPLIB = `
import smtplib, ssl, sys
port, ca, to = int(sys.argv[1]), sys.argv[2], sys.argv[3]
mail = 'Subject: from smtplib\\r\\n\\r\\n.\\r\\n..\\r\\n...\\r\\n.x\\r\\n'
with smtplib.SMTP('localhost', port) as smtp:
    smtp.starttls(context=ssl.create_default_context(cafile=ca))
    smtp.ehlo()
    assert smtp.has_extn('size') and smtp.has_extn('smtputf8') and not smtp.has_extn('starttls')
    refused = smtp.sendmail('ann@sender.example', [to, 'nobody@in.example'], mail)
    assert list(refused) == ['nobody@in.example'] and refused['nobody@in.example'][0] == 550, refused
    try:
        smtp.sendmail('ann@sender.example', ['nobody@in.example'], mail)
        raise AssertionError('taken')
    except smtplib.SMTPRecipientsRefused as refused:
        print(refused)
    try:
        smtp.sendmail('ann@sender.example', [to], 'x' * 30_000_000)
        raise AssertionError('taken')
    except smtplib.SMTPSenderRefused as refused:
        print(refused.smtp_code)
`;

test.skipIf(python === undefined)(
  "Python's smtplib: the certificate holds, one recipient of two is refused, a mail too large is refused at MAIL",
  async () => {
    const { address, id } = await gateway.newAddress();
    expect(await python?.(['-c', SMTPLIB, String(gateway.port), caFile, address])).toContain(
      "(550, b'5.1.1 No such address')",
    );
    const { trace, text } = await onlyMail(id);
    expect(trace).toContain('with ESMTPS id');
    expect(text).toBe('Subject: from smtplib\r\n\r\n.\r\n..\r\n...\r\n.x\r\n');
  },
);

describe.skipIf(swaks === undefined)('swaks', () => {
  test.each([
    [[], 'ESMTP'],
    [['--tls'], 'ESMTPS'],
    [['--pipeline'], 'ESMTP'],
    [['--protocol', 'SMTP'], 'SMTP'],
  ])('%j', async (options, protocol) => {
    const { address, id } = await gateway.newAddress();
    const said = await swaks?.([
      '--server',
      '127.0.0.1',
      '--port',
      String(gateway.port),
      '--from',
      'ann@sender.example',
      '--to',
      address,
      '--helo',
      'mx.sender.example',
      '--header',
      'Subject: from swaks',
      '--body',
      DOTS,
      ...options,
    ]);
    expect(said).toMatch(/250 2\.6\.0 OK: stored as evt_/);
    const { trace, text } = await onlyMail(id);
    expect(trace).toContain(`with ${protocol} id`);
    expect(text).toMatch(/\r\n\.\r\n\.\.\r\n\.\.\.\r\n\.x\r\n/);
  });

  test('shows why a recipient is refused', async () => {
    await expect(
      swaks?.([
        '--server',
        '127.0.0.1',
        '--port',
        String(gateway.port),
        '--from',
        'ann@sender.example',
        '--to',
        'nobody@in.example',
      ]),
    ).rejects.toThrow('550 5.1.1 No such address');
  });
});

test.skipIf(openssl === undefined)(
  'openssl s_client -starttls smtp: the certificate and its name hold, and mail goes through by hand',
  async () => {
    const { address, id } = await gateway.newAddress();
    const lines = [
      'EHLO mx.sender.example',
      'MAIL FROM:<ann@sender.example>',
      `rcpt to:<${address}>`,
      'DATA',
      'Subject: from openssl',
      '',
      'x',
      '.',
      'quit',
      '',
    ]; // a capital R at the start would renegotiate
    const said = await openssl?.(
      [
        's_client',
        '-starttls',
        'smtp',
        '-crlf',
        '-ign_eof',
        '-connect',
        `127.0.0.1:${gateway.port}`,
        '-CAfile',
        caFile,
        '-verify_hostname',
        'localhost',
        '-verify_return_error',
      ],
      lines.join('\n'),
    );
    expect(said).toContain('Verify return code: 0 (ok)');
    expect(said).toMatch(/250 2\.6\.0 OK: stored as evt_/);
    expect((await onlyMail(id)).text).toBe('Subject: from openssl\r\n\r\nx\r\n');
  },
);

const sendByPostfix = (to: string, options: readonly string[]) =>
  smtpSource?.([
    '-s',
    '5',
    '-m',
    '20',
    '-l',
    '5000',
    '-f',
    'ann@sender.example',
    '-t',
    to,
    '-S',
    'from Postfix',
    ...options,
    `127.0.0.1:${gateway.port}`,
  ]);

describe.skipIf(smtpSource === undefined)("Postfix's smtp-source", () => {
  test.each([
    ['one connection per email', []],
    ['several emails per connection', ['-d']],
  ])('%s: every email is accepted and stored', async (_, options) => {
    const { address, id } = await gateway.newAddress();
    await sendByPostfix(address, options);
    const mails = await storedMails(gateway.pipeline.nats, id);
    expect(mails).toHaveLength(20);
    expect(new Set(mails.map(({ payload }) => payload.headers.subject))).toEqual(
      new Set(['from Postfix']),
    );
  });

  test('without a greeting it is refused', async () => {
    const { address } = await gateway.newAddress();
    await expect(sendByPostfix(address, ['-o'])).rejects.toThrow('503 5.5.1');
  });

  test('over LMTP', async () => {
    await using pipeline = await startPipeline({
      withDispatcher: false,
      env: { LMTP_PORT: '0', LMTP_NETWORKS: '127.0.0.1/32' },
    });
    const { id, address } = await pipeline.address('/unused');
    const options = ['-L', '-d', '-s', '2', '-m', '10', '-l', '500', '-f', 'ann@sender.example'];
    await smtpSource?.([...options, '-t', address, `127.0.0.1:${pipeline.lmtpPort}`]);
    expect(await storedMails(pipeline.nats, id)).toHaveLength(10);
  });
});
