/** How much memory a large email takes while it is processed. */
import { expect, test } from 'vitest';

import { type Pipeline, startPipeline } from '../../support/pipeline.ts';
import { startServiceProcess } from '../../support/service-process.ts';
import { dialogue } from '../../support/smtp-play.ts';

const BYTES = 24_000_000;
const EMAILS = 4; // the garbage of earlier ones counts, too
const FACTOR = 10;
const NOISE_BYTES = 2 * BYTES;

async function send(smtpPort: number, address: string, raw: Buffer): Promise<string> {
  await using smtp = await dialogue(smtpPort);
  for (const command of ['EHLO a', 'MAIL FROM:<a@b.example>', `RCPT TO:<${address}>`, 'DATA'])
    await smtp.say(command);
  return await smtp.say(Buffer.concat([raw, Buffer.from('\r\n.\r\n')]));
}

/** Of the contents in worst-content.load.test.ts, the one that takes the most memory. */
const eightBit = (bytes: number): Buffer =>
  Buffer.from(
    `Content-Type: text/plain; charset=iso-8859-1\r\n\r\n${`${'\xfc'.repeat(76)}\r\n`.repeat(bytes / 78)}`,
    'latin1',
  );

test('a large email of the worst content takes at most ten times its size', async () => {
  await using pipeline: Pipeline = await startPipeline({ withDispatcher: false });
  const { address } = await pipeline.address('/unused');
  await using gateway = await startServiceProcess('gateway', pipeline.settings, [
    '--max-old-space-size=512',
  ]);
  await send(gateway.smtpPort, address, eightBit(400_000)); // starts the worker thread
  const before = await gateway.peakRssBytes();
  const raw = eightBit(BYTES);
  for (let email = 0; email < EMAILS; email++)
    expect(await send(gateway.smtpPort, address, raw)).toMatch(/^250 /);
  expect((await gateway.peakRssBytes()) - before).toBeLessThan(FACTOR * BYTES + NOISE_BYTES);
});
