/**
 * What parsing an email costs, by its size, next to simpleParser with its defaults. Both run in
 * this process, one after the other.
 */
import { simpleParser } from 'mailparser';

import { parseMail } from '../../../services/adapters/mime/parse.ts';
import { MAIL_KINDS, mailBody, mailHead } from '../mails.ts';
import type { Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';
import { figure, table } from '../table.ts';

const LARGE_BYTES = 20 * 1024 * 1024;
const ROUND_BYTES = 2_000_000; // so many mails a round that the clock of the processor is fine enough
const MAILS_A_ROUND_MAX = 200;

export const parse: Scenario = {
  name: 'parse',
  purpose: 'processor time to read one mail, next to simpleParser with its defaults',
  run: async (_, { repeat }, report) => {
    const mails = [
      ...MAIL_KINDS.map((kind) => [kind, raw(mailBody(kind))] as const),
      ['20m', raw(large())] as const,
    ];
    const figures: Record<string, { bareMs: number; oursMs: number }> = {};
    for (const [size, mail] of mails) {
      report(`parse: ${size}`);
      const [bare, ours]: number[][] = [[], []];
      for (let round = 0; round <= repeat; round++) {
        const costs = [
          await cpuMs(mail, (bytes) => simpleParser(bytes)),
          await cpuMs(mail, async (bytes) => parseMail(bytes)),
        ];
        if (round === 0) continue; // warms up
        bare?.push(costs[0] ?? NaN);
        ours?.push(costs[1] ?? NaN);
      }
      figures[size] = { bareMs: median(bare ?? []), oursMs: median(ours ?? []) };
    }
    const rows = Object.entries(figures).map(([size, { bareMs, oursMs }]) => [
      size,
      figure(bareMs),
      figure(oursMs),
      figure(oursMs / bareMs),
    ]);
    return { text: table(['mail', 'simpleParser ms', 'Inlet ms', 'ratio'], rows), figures };
  },
};

const raw = (body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(mailHead(1, 'desk@sender.example', 'box@in.example')), body]);

const large = (): Buffer =>
  Buffer.from(
    `Content-Type: application/pdf; name=large.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.alloc(
      (LARGE_BYTES * 3) / 4,
      'inlet',
    )
      .toString('base64')
      .replace(/.{76}/g, '$&\r\n')}`,
  );

/** Of one mail, over as many as a round has. */
async function cpuMs(mail: Buffer, read: (mail: Buffer) => Promise<unknown>): Promise<number> {
  const count = Math.max(1, Math.min(MAILS_A_ROUND_MAX, Math.round(ROUND_BYTES / mail.byteLength)));
  const before = process.cpuUsage();
  for (let i = 0; i < count; i++) await read(mail);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / count;
}
