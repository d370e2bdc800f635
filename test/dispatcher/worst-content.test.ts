/**
 * A dispatcher of 768 MiB delivers the largest payloads: text takes up to six bytes for each
 * character as JSON.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type Pipeline, startPipeline } from '../support/pipeline.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { until } from '../support/until.ts';

const LIMIT_BYTES = 768 * 1024 * 1024;
const BYTES = 24_000_000;
/** What Node would choose in a container of 768 MiB. */
const HEAP_MB = 384;

let pipeline: Pipeline;
let dispatcher: ServiceProcess;
const parts = new AsyncDisposableStack();
beforeAll(async () => {
  pipeline = parts.use(await startPipeline({ withDispatcher: false }));
  dispatcher = parts.use(
    await startServiceProcess('dispatcher', pipeline.settings, [`--max-old-space-size=${HEAP_MB}`]),
  );
});
afterAll(() => parts.disposeAsync());

const body = (line: string) => `${line}\r\n`.repeat(Math.floor(BYTES / (line.length + 2)));
const WORST: readonly [string, string, string][] = [
  ['control characters', 'Subject: x', '\x01'.repeat(76)],
  ['quotes in HTML', 'Content-Type: text/html', '"'.repeat(76)],
  ['base64', 'Content-Type: application/x\r\nContent-Transfer-Encoding: base64', 'A'.repeat(76)],
];

test('D34: the largest payloads are delivered, and take no more than 768 MiB', async () => {
  const { address } = await pipeline.address('/worst');
  await Promise.all(
    WORST.map(([, head, line]) =>
      pipeline.mailer.sendMail({
        envelope: { from: 'a@b.example', to: address },
        raw: `${head}\r\n\r\n${body(line)}`,
      }),
    ),
  );
  await until(
    'all payloads',
    () => pipeline.receiver.received('/worst').length >= WORST.length,
    60_000,
  );
  expect(dispatcher.hasExited()).toBe(false);
  expect(await dispatcher.peakRssBytes()).toBeLessThan(LIMIT_BYTES);
  const sizes = pipeline.receiver.received('/worst').map(({ raw }) => raw.byteLength);
  expect(Math.max(...sizes)).toBeGreaterThan(80_000_000);
}, 120_000);
