/**
 * A content thread may end at any moment, for example because another email holds it. What it was
 * doing is done again, and nothing is lost or stored twice.
 */
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { GATEWAY_CONSTANTS } from '../../../services/gateway/process/constants.ts';
import { natsOptions } from '../../../services/adapters/stream/connection/connection.ts';
import { readConfig } from '../../../services/adapters/process/config.ts';
import type { Recipient } from '../../../services/core/address/recipient.ts';
import { receiverEventId } from '../../../services/core/delivery/mail-event.ts';
import { SPEC_PAYLOAD } from '../../../services/core/receiver/payload-settings.ts';
import { GatewayConfig } from '../../../services/gateway/process/config.ts';
import {
  type ContentIO,
  createContentThreads,
} from '../../../services/gateway/content/content-threads.ts';
import { receiveOptions } from '../../../services/gateway/receive/receive-options.ts';
import { createByteBudget } from '../../../services/gateway/receive/memory-budget.ts';
import { log, startPipeline } from '../../support/pipeline.ts';
import { testDir } from '../../support/servers.ts';
import { storedMails } from '../stored-mail.ts';
import { noAuthors } from '../../support/no-authors.ts';

/** More than an email has, so the last one is handled without an interruption. */
const MOMENTS_MAX = 40;
const FURTHER = 'rcv_further';

test.each([
  ['a small email with a Message-ID', 'Message-ID: <1@sender.example>\r\n', 0],
  ['a large email without a Message-ID', '', 300_000],
])(
  '%s is stored once, whenever its thread ends',
  async (_, id, bytes) => {
    await using dir = await testDir();
    const file = join(dir.path, 'ends');
    process.env.TEST_THREAD_ENDS_FILE = file;
    writeFileSync(file, '');
    await using pipeline = await startPipeline({ withDispatcher: false });
    const config = readConfig(GatewayConfig, pipeline.settings);
    const counted: string[] = [];
    const metrics = new Proxy(
      {},
      { get: (__, name) => () => counted.push(String(name)) },
    ) as ContentIO['metrics'];
    await using threads = createContentThreads(
      {
        nats: natsOptions(config, 'test'),
        partitions: 2,
        receiving: receiveOptions(config, GATEWAY_CONSTANTS),
        hooks: { slots: 1, bytes: 1 },
      },
      10_000,
      {
        memory: createByteBudget(1e9),
        metrics,
        authors: noAuthors,
        isConnected: () => true,
        clock: () => new Date(),
        log,
      },
      new URL('../../fixtures/ending-worker.ts', import.meta.url),
    );
    await threads.prepared();
    let moment = 1;
    for (; moment <= MOMENTS_MAX; moment++) {
      const [first, second] = [await pipeline.address('/a'), await pipeline.address('/b')];
      const recipient = {
        ...first,
        receivers: [{ id: FURTHER, payload: SPEC_PAYLOAD }],
      } as unknown as Recipient;
      const raw = Buffer.from(
        `${id}Subject: x${moment}\r\n\r\n${'the text\r\n'.repeat(bytes / 10)}`,
      );
      counted.length = 0;
      writeFileSync(file, String(moment));
      const { events, repeats } = await threads.receive({
        transactionId: `transaction ${id} ${moment}`,
        raw,
        withReceived: raw,
        envelope: { mailFrom: 'ann@sender.example', heloDomain: '', remoteIp: '127.0.0.1' },
        recipients: [recipient, second as unknown as Recipient].map((one) => ({
          recipient: one,
          named: new Map([[one.address, one.address]]),
        })),
        isUtf8: false,
        repliesEach: false,
        receivedAt: new Date(),
        replyBy: new Date(Date.now() + 300_000),
      });
      const [own, other] = events.map(({ eventId }) => eventId);
      expect(repeats, `moment ${moment}`).toEqual([]);
      expect(counted.filter((name) => name === 'stored')).toHaveLength(2);
      const idsAt = async (addressId: string) =>
        (await storedMails(pipeline.nats, addressId)).map(({ event }) => event.event_id);
      expect(await idsAt(first.id), `moment ${moment}`).toEqual([own]);
      expect(await idsAt(second.id), `moment ${moment}`).toEqual([other]);
      expect(new Set(await idsAt(FURTHER))).toContain(receiverEventId(own ?? '', FURTHER));
      if ((await readFile(file, 'utf8')) !== '') break; // it did not end
    }
    expect(moment).toBeGreaterThan(8);
    expect(moment).toBeLessThan(MOMENTS_MAX);
    expect(await storedMails(pipeline.nats, FURTHER)).toHaveLength(moment);
  },
  600_000,
);
