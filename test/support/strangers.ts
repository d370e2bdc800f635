/** Strangers that send the dearest content, and another sender whose small emails are timed. */
import { dialogue, type SmtpDialogue } from './smtp-play.ts';

/** All of it is extracted, so its address must ask for everything. */
const DEAREST = `Subject: x\r\nContent-Type: text/html\r\n\r\n${'<h1>'.repeat(60_000)}`;
const SMALL = Buffer.from(`Subject: an order\r\n\r\n${'the text '.repeat(30)}\r\n.\r\n`);
/** So many emails of strangers are handled before the others are timed. */
const FIRST = 5;
const STRANGER = '127.0.8';
const OTHER = '127.0.9.1';

export type Crowd = { sources: number; connections: number };

async function greeted(port: number, from: string): Promise<SmtpDialogue> {
  const smtp = await dialogue(port, from);
  await smtp.say('EHLO mx.partner.example');
  return smtp;
}

async function untilDot(smtp: SmtpDialogue, to: string): Promise<void> {
  for (const line of ['MAIL FROM:<a@b.example>', `RCPT TO:<${to}>`, 'DATA']) await smtp.say(line);
}

/** The time from the end of DATA to the 250 of each email, in milliseconds. */
export async function smallEmailsMs(port: number, to: string, emails: number): Promise<number[]> {
  await using smtp = await greeted(port, OTHER);
  const taken: number[] = [];
  while (taken.length < emails) {
    await untilDot(smtp, to);
    const startedMs = performance.now();
    const reply = await smtp.say(SMALL);
    if (!reply.startsWith('250')) throw new Error(`a small email was answered ${reply}`);
    taken.push(performance.now() - startedMs);
  }
  return taken;
}

/** The same, while each connection of the crowd sends one email after another to one of these. */
export async function smallEmailsBesideMs(
  port: number,
  { sources, connections }: Crowd,
  attacked: readonly string[],
  to: string,
  emails: number,
  email = DEAREST,
): Promise<number[]> {
  const connected = await Promise.allSettled(
    Array.from({ length: sources * connections }, (_, i) =>
      greeted(port, `${STRANGER}.${1 + (i % sources)}`),
    ),
  );
  // the last tenth of MAX_CONNECTIONS is not for a crowd
  const strangers = connected.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (strangers.length < 0.8 * connected.length)
    throw new Error(`only ${strangers.length} of ${connected.length} strangers were greeted`);
  let isOver = false;
  let handled = 0;
  const started = Promise.withResolvers<void>();
  const bytes = Buffer.from(`${email}\r\n.\r\n`);
  const sending = strangers.map(async (smtp, i) => {
    while (!isOver) {
      await untilDot(smtp, attacked[i % attacked.length] ?? '');
      await smtp.say(bytes);
      handled += 1;
      if (handled === FIRST) started.resolve();
    }
  });
  const ended = Promise.allSettled(sending);
  try {
    await Promise.race([started.promise, ended]);
    return await smallEmailsMs(port, to, emails);
  } finally {
    isOver = true;
    for (const { socket } of strangers) socket.destroy();
    await ended;
  }
}
