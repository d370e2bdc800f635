/** Email and `kill -9` for tests of processes that are killed while email flows. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { expect } from 'vitest';

import type { WholeSystem } from './start-standalone.ts';
import { until } from './until.ts';

type System = Pick<WholeSystem, 'standalone'>;
type Load = { mails: number; senders: number; giveUpMs: number };

/**
 * Sends like a mail server: an email without a 250 is sent again, with the same bytes, until it
 * gets one. Their subjects are the name and a number.
 */
export async function sendAll(
  system: System,
  { to, name, accepted }: { to: string; name: string; accepted: Set<string> },
  { mails, senders, giveUpMs }: Load,
): Promise<void> {
  const todo = Array.from({ length: mails }, (_, i) => `${name} ${i}`);
  const sender = async () => {
    for (let subject = todo.shift(); subject !== undefined; subject = todo.shift()) {
      const raw = [
        'From: a@b.example',
        `To: ${to}`,
        `Subject: ${subject}`,
        `Message-ID: <${subject.replaceAll(' ', '-')}@b.example>`,
        '',
        subject,
        '',
      ].join('\r\n');
      await until(`a 250 for ${subject}`, () => sendOnce(system, to, raw), giveUpMs);
      accepted.add(subject);
    }
  };
  await Promise.all(Array.from({ length: senders }, sender));
}

/** Whether the email got a 250. */
async function sendOnce({ standalone }: System, to: string, raw: string): Promise<boolean> {
  const mailer = createTransport({
    host: '127.0.0.1',
    port: standalone.state().smtp_port,
    ignoreTLS: true,
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: 15_000,
  });
  try {
    await mailer.sendMail({ envelope: { from: 'a@b.example', to }, raw });
    return true;
  } catch (error) {
    // a crash must never bounce mail
    expect((error as { responseCode?: number }).responseCode ?? 451).toBeLessThan(500);
    await sleep(200);
    return false;
  } finally {
    mailer.close();
  }
}

/** Resolves with the killed pid when the process is running again with another pid. */
export async function killWhen(
  { standalone }: System,
  victim: string,
  isTime: () => boolean,
  giveUpMs: number,
): Promise<number> {
  const pidNow = () => standalone.state().pids[victim];
  await until('the middle of the run', isTime, giveUpMs);
  const pid = pidNow() ?? 0;
  process.kill(pid, 'SIGKILL');
  await until(`${victim} to run again`, () => pidNow() !== pid, giveUpMs);
  return pid;
}
