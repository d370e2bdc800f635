/**
 * Simultaneous large emails, which are stored in the object bucket: memory of the gateway and the
 * dispatcher, time, every byte, and the latency of small emails at the same time.
 */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { ensureTls } from '../../../services/standalone/keys.ts';
import { dialogue } from '../../support/smtp-play.ts';
import { until } from '../../support/until.ts';
import type { Bed, System } from '../bed.ts';
import { nowMs } from '../clock.ts';
import { startHelper } from '../helper-process.ts';
import type { LargeRequest, LargeWebhook } from '../large-receiver-process.ts';
import type { LoadRequest } from '../load-process.ts';
import { takeSendIds, warmUp } from '../measure.ts';
import { resetPeak, usageOf } from '../process-usage.ts';
import type { Receipts } from '../receiver-process.ts';
import type { Scenario } from '../scenario.ts';
import { percentile } from '../statistics.ts';
import { figure, table } from '../table.ts';

const RAW_BYTES = 25 * 1024 * 1024; // MAX_MESSAGE_BYTES
const SMALL_PER_SECOND = 50;
const SMALL_CONNECTIONS = 20;
const ALONE_SECONDS = 20;
const LEAD_MS = 1_000;
const SECONDS_A_MAIL = 3; // small emails are sent at least until all large ones are delivered
const LAST_MAILS_MS = 2_000;
const DELIVERED_WITHIN_MS = 120_000;
const TRIES_MAX = 20;
const TRY_AGAIN_MS = 1_000;
const MEASURED = ['gateway', 'dispatcher', 'nats-server'] as const;

export const largeMail: Scenario = {
  name: 'large-mail',
  purpose:
    'simultaneous emails of 25 MiB: memory, time, every byte, and the latency of small emails',
  run: async (bed, { 'large-mails': count }, report) => {
    const system = bed.systems.find(({ name }) => name === 'inlet');
    if (!system) return { text: 'Inlet is not among the systems', figures: null };
    await using receiver = startHelper<LargeRequest>(
      new URL('../large-receiver-process.ts', import.meta.url),
    );
    const port = await receiver.ask<number>({ kind: 'start', ...(await ensureTls(bed.dataDir)) });
    const [target] = await bed.addAddresses([`https://localhost:${port}/`]);
    if (!target) throw new Error('no address');
    await warmUp(
      bed,
      system,
      { kind: '2k', connections: SMALL_CONNECTIONS, mails: 0, seconds: 0 },
      500,
    );

    report('large-mail: small emails alone');
    const alone = await small(bed, system, ALONE_SECONDS);
    const before = memory(system);
    for (const name of MEASURED) resetPeak(system.processes[name] ?? 0);
    report(`large-mail: ${count} simultaneous emails of ${RAW_BYTES} bytes, and small ones`);
    const beside = small(bed, system, (LEAD_MS + 1000 * SECONDS_A_MAIL * count) / 1000);
    await sleep(LEAD_MS);
    const startedMs = nowMs();
    const { content, sha256 } = attachment();
    const sent = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        send(system.port, target.address, index, content),
      ),
    );
    const acceptedMs = nowMs() - startedMs;
    const accepted = sent.filter(({ reply }) => reply.startsWith('250')).length;
    const received = () => receiver.ask<LargeWebhook[]>({ kind: 'received' });
    await until(
      'all large emails',
      async () => (await received()).length >= accepted,
      DELIVERED_WITHIN_MS,
    ).catch(() => report('not all large emails arrived'));
    const webhooks = await received();
    const endMs = Math.max(...webhooks.map(({ atMs }) => atMs));
    const peak = memory(system);
    const { delays } = await beside;
    const meanwhile = delays.filter(
      ({ endOfDataMs }) => endOfDataMs >= startedMs && endOfDataMs <= endMs,
    );
    const whole = webhooks.filter((one) => one.sha256 === sha256).length;

    const [aloneP99, besideP99] = [
      percentile(
        alone.delays.map(({ ms }) => ms),
        0.99,
      ),
      percentile(
        meanwhile.map(({ ms }) => ms),
        0.99,
      ),
    ];
    const figures = {
      count,
      accepted,
      sent,
      whole,
      posts: webhooks.length,
      acceptedMs,
      deliveredMs: endMs - startedMs,
      before,
      peak,
      aloneP99,
      besideP99,
      payloadBytes: webhooks[0]?.payloadBytes,
    };
    const text = [
      `${accepted} of ${count} accepted in ${figure(acceptedMs / 1000)} s, ` +
        `delivered in ${figure((endMs - startedMs) / 1000)} s, ` +
        `each with ${figure((webhooks[0]?.payloadBytes ?? NaN) / 2 ** 20)} MiB of JSON; ` +
        `${whole} with identical bytes, ${webhooks.length} POSTs`,
      ...new Set(sent.filter(({ reply }) => !reply.startsWith('250')).map(({ reply }) => reply)),
      `tries for each: ${sent.map(({ tries }) => tries).join(' ')}`,
      table(
        ['MB', ...MEASURED],
        [
          ['peak before', ...MEASURED.map((name) => figure(before[name] ?? NaN))],
          ['peak during', ...MEASURED.map((name) => figure(peak[name] ?? NaN))],
        ],
      ),
      table(
        ['small mails', 'mails', 'p50 ms', 'p99 ms', 'to the 250: p50', 'p99'],
        [smallRow('alone', alone.delays), smallRow('beside', meanwhile)],
      ),
      `p99 beside ÷ alone: ${figure(besideP99 / aloneP99)}`,
    ].join('\n');
    return { text, figures };
  },
};

function smallRow(title: string, delays: Small['delays']): string[] {
  const [ms, acceptedMs] = [delays.map((one) => one.ms), delays.map((one) => one.acceptedMs)];
  return [
    title,
    String(delays.length),
    ...[ms, acceptedMs].flatMap((all) => [
      figure(percentile(all, 0.5)),
      figure(percentile(all, 0.99)),
    ]),
  ];
}

const memory = ({ processes }: System): Record<string, number> =>
  Object.fromEntries(
    MEASURED.map((name) => [name, (usageOf(processes[name] ?? 0)?.peakBytes ?? NaN) / 1e6]),
  );

/** From the end of DATA to the webhook, and to the 250. */
type Small = { delays: { endOfDataMs: number; ms: number; acceptedMs: number }[] };

async function small(bed: Bed, system: System, seconds: number): Promise<Small> {
  const mails = Math.round(seconds * SMALL_PER_SECOND);
  const request: LoadRequest = {
    ports: [system.port],
    kind: '2k',
    recipients: system.recipients,
    connections: SMALL_CONNECTIONS,
    mails,
    seconds: 2 * seconds,
    perSecond: SMALL_PER_SECOND,
    firstId: takeSendIds(mails),
  };
  const { endOfDataMs, acceptedMs } = await bed.load(request);
  await sleep(LAST_MAILS_MS);
  const { receivedMs } = await bed.receiver.ask<Receipts>({
    kind: 'collect',
    firstId: request.firstId,
    mails,
  });
  return {
    delays: [...receivedMs]
      .map((atMs, index) => ({
        endOfDataMs: endOfDataMs[index] ?? NaN,
        ms: atMs - (endOfDataMs[index] ?? NaN),
        acceptedMs: (acceptedMs[index] ?? NaN) - (endOfDataMs[index] ?? NaN),
      }))
      .filter(({ ms }) => !Number.isNaN(ms)),
  };
}

/** Unencoded 8-bit lines. Base64 makes them a third longer in the payload. */
function attachment(): { content: Buffer; sha256: string } {
  const lineBytes = 900;
  const lines = Math.floor((RAW_BYTES - 1_000) / (lineBytes + 2));
  const noise = randomBytes(lineBytes).map((byte) => (byte | 0x80) & 0xff); // no CR, LF, NUL or dot
  const line = Buffer.concat([noise, Buffer.from('\r\n')]);
  const content = Buffer.alloc(lines * line.byteLength, line);
  for (let i = 0; i < lines; i++)
    content.writeUInt32BE(
      (0x80808080 | (i & 0x7f) | ((i & 0x3f80) << 1) | ((i & 0x1fc000) << 2)) >>> 0,
      i * line.byteLength,
    ); // no two lines alike
  // the last CRLF belongs to the boundary
  return { content, sha256: createHash('sha256').update(content.subarray(0, -2)).digest('hex') };
}

type Sent = { reply: string; tries: number };

/** Like a mail server, sends the email again after a 4xx or a lost connection. */
async function send(port: number, to: string, index: number, content: Buffer): Promise<Sent> {
  for (let tries = 1; ; tries++) {
    const reply = await sendOnce(port, to, index, content).catch(
      (error: Error) => `451 ${error.message}`,
    );
    if (!reply.startsWith('4') || tries === TRIES_MAX) return { reply, tries };
    await sleep(TRY_AGAIN_MS);
  }
}

/** Resolves with the last reply. */
async function sendOnce(port: number, to: string, index: number, content: Buffer): Promise<string> {
  await using smtp = await dialogue(port);
  const steps = [
    'EHLO large.example',
    'MAIL FROM:<a@b.example> BODY=8BITMIME',
    `RCPT TO:<${to}>`,
    'DATA',
  ];
  for (const step of steps) {
    const reply = await smtp.say(step);
    if (!/^[23]/.test(reply)) return reply;
  }
  const head =
    `From: a@b.example\r\nTo: ${to}\r\nSubject: large ${index}\r\nMIME-Version: 1.0\r\n` +
    'Content-Type: multipart/mixed; boundary="=_large"\r\n\r\n--=_large\r\n' +
    'Content-Type: application/octet-stream\r\n' +
    'Content-Disposition: attachment; filename="large.bin"\r\n' +
    'Content-Transfer-Encoding: 8bit\r\n\r\n';
  smtp.socket.write(head);
  smtp.socket.write(content);
  return await smtp.say('--=_large--\r\n.');
}
