/** `inlet send --mx`: which servers a stranger would ask, and that STARTTLS is required of them. */
import { once } from 'node:events';
import { createServer } from 'node:net';

import { expect, test } from 'vitest';

import { sendMail } from '../../services/adapters/smtp/mail-client.ts';
import { mailServersOf } from '../../services/cli/commands/mail-servers.ts';
import { startTestDns } from '../support/dns-server.ts';
import { runCommand } from '../support/inlet-command.ts';

const mx = (exchange: string, priority: number) => ({ exchange, priority });

test('the mail servers of a domain are asked in their order, and a null MX is an error', async () => {
  await using dns = await startTestDns();
  dns.set('in.example.com', { MX: [mx('second.example', 20), mx('first.example', 10)] });
  dns.set('null.example.com', { MX: [mx('', 0)] });
  expect(await mailServersOf('in.example.com', [dns.address])).toEqual([
    'first.example',
    'second.example',
  ]);
  await expect(mailServersOf('null.example.com', [dns.address])).rejects.toThrow('null MX');
  await expect(mailServersOf('none.example.com', [dns.address])).rejects.toThrow('no MX record');
});

test('a server without STARTTLS does not get the email', async () => {
  const heard: string[] = [];
  await using plain = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('220 plain.example\r\n');
    socket.on('data', (data) => {
      heard.push(data.toString());
      socket.write(
        data.toString().startsWith('EHLO') ? '250 plain.example\r\n' : '502 5.5.1 no\r\n',
      );
    });
  }).listen(0, '127.0.0.1');
  await once(plain, 'listening');
  const { port } = plain.address() as { port: number };
  const mail = { from: 'a@b.example', to: 'c@d.example', subject: 'x', text: 'x' };
  await expect(sendMail({ host: '127.0.0.1', port, requiresTls: true }, mail)).rejects.toThrow(
    /STARTTLS/,
  );
  expect(heard.join('')).not.toContain('MAIL FROM');
});

test.each([
  ['no address', ['--mx']],
  ['two addresses', ['a@b.example', '--to', 'c@b.example', '--mx']],
  ['another server', ['a@b.example', '--mx', '--smtp-host', 'mx.b.example']],
])('--mx with %s is a mistake in the command', async (_, args) => {
  expect((await runCommand(['send', ...args])).code).toBe(2);
});
