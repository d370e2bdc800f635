/**
 * What promtool cannot show: that processes in trouble report the metrics which their alerts read. The
 * limits are those of the alerts, see cases.ts.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstream } from '@nats-io/jetstream';
import { createTransport } from 'nodemailer';
import { expect, inject, test } from 'vitest';

import { startNatsCluster } from '../support/nats-cluster.ts';
import { startPipeline } from '../support/pipeline.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { testDir } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { useInFile } from '../support/use-in-file.ts';

const pipeline = await useInFile(startPipeline({ withDispatcher: false }));

/** The values of a metric whose labels include this text. */
async function values(port: number | string, metric: string, labels = ''): Promise<number[]> {
  const url = typeof port === 'number' ? `http://127.0.0.1:${port}/metrics` : port;
  return (await (await fetch(url)).text())
    .split('\n')
    .filter((line) => line.startsWith(`${metric}{`) && line.includes(labels))
    .map((line) => Number(line.split(' ').at(-1)));
}

test('a process without CPU time reports a blocked event loop', async () => {
  await using gateway = await startServiceProcess('gateway', pipeline.settings);
  const blocked = await until('a lag of half a second', async () => {
    process.kill(gateway.pid, 'SIGSTOP');
    await sleep(700);
    process.kill(gateway.pid, 'SIGCONT');
    const [lag = 0] = await values(gateway.metricsPort, 'nodejs_eventloop_lag_p99_seconds');
    return lag > 0.5 ? lag : undefined;
  });
  expect(blocked).toBeGreaterThan(0.5);
});

test('an email that takes too long is counted, and its thread is ready for others', async () => {
  const settings = { ...pipeline.settings, PARSE_TIMEOUT: '10ms' };
  await using gateway = await startServiceProcess('gateway', settings);
  const { address: to } = await pipeline.address('/large');
  const attachments = [{ filename: 'a.bin', content: randomBytes(6_000_000) }];
  const mailer = createTransport({ host: '127.0.0.1', port: gateway.smtpPort, ignoreTLS: true });
  await mailer.sendMail({ from: 'ann@sender.example', to, attachments });
  const read = (metric: string) => values(gateway.metricsPort, metric);
  expect(Math.max(...(await read('inlet_content_took_too_long_total')))).toBeGreaterThan(0);
  await until('both threads', async () => {
    const ready = await read('inlet_content_thread_ready');
    return ready.length === 2 && !ready.includes(0);
  });
});

test('a full JetStream account is reported with its limit, and refuses email', async () => {
  const accounts = {
    accounts:
      '{ INLET: { jetstream: { max_file: 8MB }, users: [{ user: inlet, password: inlet }] } }',
    no_auth_user: 'inlet',
  };
  await using full = await startPipeline({
    natsServer: { server: accounts },
    withDispatcher: false,
  });
  const { address: to } = await full.address('/full');
  const attachments = [{ filename: 'a.bin', content: randomBytes(200_000) }];
  await until('a full account', () =>
    full.mailer.sendMail({ from: 'ann@sender.example', to, attachments }).then(
      () => false,
      () => true,
    ),
  );
  const read = (metric: string, labels = '') => values(full.metricsUrls.gateway, metric, labels);
  await until('its figures', async () => {
    const [used = 0] = await read('inlet_jetstream_storage_bytes');
    const [limit = Infinity] = await read('inlet_jetstream_storage_max_bytes');
    return used / limit > 0.85;
  });
  expect(await read('inlet_mails_refused_total', 'reply="queue_full"')).not.toEqual([]);
});

test('while a NATS node is away, the copies of streams are behind', async () => {
  await using dir = await testDir();
  await using cluster = await startNatsCluster({
    binary: inject('natsServerBinary'),
    dir: dir.path,
  });
  const settings = { ...pipeline.settings, NATS_URL: cluster.url, STREAM_REPLICAS: '3' };
  await using gateway = await startServiceProcess('gateway', settings);
  const behind = async () =>
    Math.max(...(await values(gateway.metricsPort, 'inlet_stream_outdated_copies')));
  await until('all copies', async () => (await behind()) === 0);
  await cluster.nodes[2]?.kill();
  await until('a copy that is behind', async () => (await behind()) > 0);
  await cluster.nodes[2]?.start();
  await until('all copies again', async () => (await behind()) === 0);
  expect(cluster.nodes[2]?.isUp()).toBe(true);
});

test('a message that nobody can read is reported in DEAD', async () => {
  await using dispatcher = await startServiceProcess('dispatcher', pipeline.settings);
  await jetstream(pipeline.nats.connection).publish('mail.0.acc_1.addr_1', 'no event');
  const dead = () => values(dispatcher.metricsPort, 'inlet_stream_messages', 'stream="DEAD"');
  await until('the stream', async () => (await dead()).includes(1));
  expect(await dead()).toEqual([1]);
});
