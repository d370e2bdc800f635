/**
 * Clients that disconnect at any moment: they stop counting, and do not affect others. Each test
 * uses its own loopback address.
 */
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';

import { ensureTls } from '../../../services/standalone/keys.ts';
import { testDir } from '../../support/servers.ts';
import { dialogue, type SmtpDialogue } from '../../support/smtp-play.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { startRecordingGateway } from '../recording-gateway.ts';

const OPEN = 3;
let address: string;
const dir = await useInFile(testDir());
const { certFile, keyFile } = await ensureTls(dir.path);
const gateway = await useInFile(
  startRecordingGateway({
    TLS_CERT_FILE: certFile,
    TLS_KEY_FILE: keyFile,
    SOURCE_EXEMPT_NETWORKS: 'none',
    SOURCE_MAX_CONNECTIONS: String(OPEN),
    SOURCE_CONNECTIONS_PER_MINUTE: '0',
  }),
);
({ address } = await gateway.newAddress());

const GROUP =
  'MAIL FROM:<a@b.example>\r\nRCPT TO:<HERE>\r\nRCPT TO:<nobody@in.example>\r\nDATA\r\n';
const IN_DATA = ['EHLO a\r\n', 'MAIL FROM:<a@b.example>\r\n', 'RCPT TO:<HERE>\r\n', 'DATA\r\n'];
const MOMENTS: [string, string[]][] = [
  ['after the greeting', ['']],
  ['in a line', ['EHLO a\r\n', 'MAIL FR']],
  ['in a group of commands', ['EHLO a\r\n', `${GROUP}Subject: x\r\n`]],
  ['in its email', [...IN_DATA, 'Subject: x\r\n\r\nx\r\n']],
  ['before the reply to its email', [...IN_DATA, 'Subject: x\r\n\r\nx\r\n.\r\nQUIT\r\n']],
  ['before its handshake', ['EHLO a\r\n', 'STARTTLS\r\n', '']],
  [
    'in its handshake',
    ['EHLO a\r\n', 'STARTTLS\r\n', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ],
  ['in an invalid handshake', ['EHLO a\r\n', 'STARTTLS\r\n', 'MAIL FROM:<a@b.example>\r\n']],
];
const ENDS: [string, (socket: Socket) => void][] = [
  ['resets', (socket) => socket.resetAndDestroy()],
  ['ends', (socket) => socket.end()],
];
const CASES = MOMENTS.flatMap(([moment, script]) =>
  ENDS.map(([how, end]) => [how, moment, script, end] as const),
);

/** As many connections as one source may have, all greeted. */
async function allGreeted(from: string): Promise<boolean> {
  const all = await Promise.all(Array.from({ length: OPEN }, () => dialogue(gateway.port, from)));
  for (const { socket } of all) socket.destroy();
  return all.every(({ greeting }) => greeting.startsWith('220 '));
}

/** Sends everything, and reads all replies except the last. */
async function playAll(smtp: SmtpDialogue, script: readonly string[]): Promise<void> {
  for (const [i, bytes] of script.entries()) {
    if (i > 0) await smtp.hear();
    smtp.socket.write(Buffer.from(bytes.replace('HERE', address), 'latin1'));
  }
}

test.each(CASES)('a client that %s its connection %s', async (how, moment, script, end) => {
  const from = `127.0.6.${CASES.findIndex((one) => one[0] === how && one[1] === moment) + 1}`;
  for (let i = 0; i < OPEN; i++) {
    const smtp = await dialogue(gateway.port, from);
    await playAll(smtp, script);
    end(smtp.socket);
  }
  await until('room for as many again', () => allGreeted(from));
  expect(
    await until(
      'the end of all',
      async () => (await gateway.count('inlet_smtp_connections')) === 0,
    ),
  ).toBe(true);
});
