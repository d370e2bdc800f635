/**
 * Yardstick `floor`, first half: a durable pipeline with Inlet's libraries and nothing else.
 * Receives with smtp-server, parses with simpleParser, publishes to one of four streams, then
 * replies 250. It has no authentication, exact MIME, records, limits, metrics or logs: it shows
 * what durability costs.
 */
import { createHash } from 'node:crypto';

import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, headers } from '@nats-io/transport-node';
import { simpleParser } from 'mailparser';

import { FLOOR_PARTITIONS, floorConsumer, floorStream } from './floor-streams.ts';
import { serveYardstick } from './serve.ts';

const [natsUrl = ''] = process.argv.slice(2);
const nats = await connect({ servers: natsUrl, noAsyncTraces: true });
const manager = await jetstreamManager(nats);
const client = jetstream(nats);
for (let partition = 0; partition < FLOOR_PARTITIONS; partition++) {
  await manager.streams.add(floorStream(partition));
  await manager.consumers.add(floorStream(partition).name, floorConsumer);
}

const PARSING = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
};
let stored = 0;

serveYardstick(async (stream, { envelope }) => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  const raw = Buffer.concat(chunks);
  const { subject, from, messageId, headerLines, text, html, attachments } = await simpleParser(
    raw,
    PARSING,
  );
  const id = stored++;
  const payload = JSON.stringify({
    event_id: `floor_${id}`,
    envelope,
    headers: { subject, messageId, from: from?.text, all: headerLines },
    text,
    html,
    attachments: attachments.map(({ filename, content }) => ({
      filename,
      content: content.toString('base64'),
    })),
  });
  const fields = headers();
  fields.set('Floor-Event', String(id));
  await client.publish(`floor.${id % FLOOR_PARTITIONS}.mail`, payload, {
    headers: fields,
    msgID: createHash('sha256').update(raw).digest('hex'),
  });
});
