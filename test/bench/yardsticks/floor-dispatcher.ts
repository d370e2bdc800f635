/**
 * Yardstick `floor`, second half: consumes the streams, signs each payload once, posts it and
 * acknowledges it.
 */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { type JsMsg, jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { Agent, request } from 'undici';

import { answerRequests } from '../helper-process.ts';
import { FLOOR_PARTITIONS, floorConsumer, floorStream } from './floor-streams.ts';

const [natsUrl = '', url = '', caFile = ''] = process.argv.slice(2);
const PULLED = 200; // for each partition
const CONNECTIONS = 30;
const SECRET = 'floor';

const nats = await connect({ servers: natsUrl, noAsyncTraces: true });
const agent = new Agent({
  connections: CONNECTIONS,
  pipelining: 1,
  connect: { ca: readFileSync(caFile) },
});

async function deliver(message: JsMsg): Promise<void> {
  const t = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', SECRET).update(`${t}.`).update(message.data).digest('hex');
  const { body } = await request(url, {
    method: 'POST',
    dispatcher: agent,
    headers: { 'content-type': 'application/json', 'svc-signature': `v1,t=${t},s=${signature}` },
    body: message.data,
  });
  await body.dump();
  message.ack();
}

async function consume(partition: number): Promise<void> {
  const { consumers } = jetstream(nats);
  const consumer = await consumers.get(floorStream(partition).name, floorConsumer.durable_name);
  for await (const message of await consumer.consume({ max_messages: PULLED }))
    void deliver(message);
}

answerRequests(() => {
  for (let partition = 0; partition < FLOOR_PARTITIONS; partition++) void consume(partition);
});
