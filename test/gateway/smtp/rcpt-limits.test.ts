/** One client's RCPT commands: how many, how long, and how little they delay other clients. */
import { expect, test } from 'vitest';

import { dialogue, type SmtpDialogue } from '../../support/smtp-play.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { startRecordingGateway } from '../recording-gateway.ts';

const gateway = await useInFile(startRecordingGateway());
const { address } = await gateway.newAddress();

async function inMail(): Promise<SmtpDialogue> {
  const smtp = await dialogue(gateway.port);
  for (const line of ['EHLO mx.partner.example', 'MAIL FROM:<ann@partner.example>'])
    expect(await smtp.say(line)).toMatch(/^250/);
  return smtp;
}

/** Sends all commands in one piece. @param onReply is called for each reply, in order */
async function pipeline(
  smtp: SmtpDialogue,
  commands: readonly string[],
  onReply: () => void = () => undefined,
): Promise<string[]> {
  const codes: string[] = [];
  smtp.socket.write(commands.map((command) => `${command}\r\n`).join(''));
  while (codes.length < commands.length) {
    codes.push((await smtp.hear()).slice(0, 3));
    onReply();
  }
  return codes;
}

const long = (chars: number) => `${'a'.repeat(chars - '@partner.example'.length)}@partner.example`;

test('an address of more than 320 characters is refused in MAIL and in RCPT', async () => {
  await using smtp = await dialogue(gateway.port);
  await smtp.say('EHLO mx.partner.example');
  expect(await smtp.say(`MAIL FROM:<${long(321)}>`)).toMatch(/^501 5\.5\.4 Path too long/);
  expect(await smtp.say(`MAIL FROM:<${long(320)}>`)).toMatch(/^250/);
  expect(await smtp.say(`RCPT TO:<${long(321)}>`)).toMatch(/^501 5\.5\.4 Path too long/);
  expect(await smtp.say(`RCPT TO:<${address}>`)).toMatch(/^250/);
});

test('each of 1,000 RCPT commands counts, and the next transaction begins again', async () => {
  await using smtp = await inMail();
  const replies = await pipeline(smtp, Array(1_002).fill(`RCPT TO:<${address}>`));
  expect(replies).toEqual([...Array(1_000).fill('250'), '452', '452']);
  const after = await pipeline(smtp, ['RSET', 'MAIL FROM:<>', `RCPT TO:<${address}>`]);
  expect(after).toEqual(['250', '250', '250']);
});

test('a client is answered while another one has hundreds of commands in one packet', async () => {
  await using smtp = await inMail();
  await using other = await dialogue(gateway.port);
  let answered = 0;
  const commands = Array<string>(900).fill(`RCPT TO:<${address}>`);
  const all = pipeline(smtp, commands, () => answered++);
  await other.say('NOOP');
  expect(answered).toBeLessThan(900);
  await all;
});
