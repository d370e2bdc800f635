/** 55.3: `inlet listen --pull` against all of Inlet as `npm start` runs it. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';

import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';

import { verdictOf } from '../../services/cli/live/pull.ts';
import { runCommand } from '../support/inlet-command.ts';
import { startWholeSystem } from '../support/start-standalone.ts';
import { until } from '../support/until.ts';
import { useInFile } from '../support/use-in-file.ts';

const system = await useInFile(startWholeSystem({ RETRY_SCHEDULE: '200ms,1h' }));
const { api_url, token } = system.standalone.state();
const env = { INLET_DIR: system.standalone.dataDir, INLET_API_URL: api_url, INLET_TOKEN: token };

function start(args: string[]) {
  const controller = new AbortController();
  let [out, err] = ['', ''];
  const ended = runCommand(['listen', ...args], {
    env,
    stopped: controller.signal,
    write: (text) => void (out += text),
    complain: (text) => void (err += text),
  });
  return {
    out: () => out,
    err: () => err,
    [Symbol.asyncDispose]: async () => {
      controller.abort();
      await ended;
    },
  };
}

const mail = (to: string, subject: string) =>
  system.mailer.sendMail({ from: 'a@b.example', to, subject, text: subject });

test('posts each email to a local program, acknowledges what it accepts, and repeats the rest', async () => {
  const address = await system.address('/pull', { mode: 'pull', webhook_url: null });
  const webhook = new Webhook(address.webhook_secret);
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const body = await buffer(request);
      const headers = request.headers as Record<string, string>;
      const email = webhook.verify(body, headers) as { headers: { subject: string } };
      const { subject } = email.headers;
      seen.push(subject);
      const isFirst = seen.filter((one) => one === subject).length === 1;
      response.writeHead(subject === 'refused' ? 400 : isFirst ? 503 : 200).end();
    };
    void answer();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const forward = `http://127.0.0.1:${port}/`;
  await using running = start(['--pull', '--address', address.address, '--forward', forward]);
  await until('the start', () => running.err().includes('listening to'));
  await mail(address.address, 'later');
  await mail(address.address, 'refused');
  const statuses = async () => {
    const { body } = await system.call('GET', `/deliveries?address_id=${address.id}`);
    const { data } = body as { data: { subject: string; status: string }[] };
    return Object.fromEntries(data.map(({ subject, status }) => [subject, status]));
  };
  await until('both to end', async () => {
    const { later, refused } = await statuses();
    return later === 'delivered' && refused === 'failed';
  });
  expect(seen.toSorted()).toEqual(['later', 'later', 'refused']);
  server.close();
});

test('--create makes an address that is asked, and each printed email is acknowledged', async () => {
  await using running = start(['--pull', '--create']);
  await until('the start', () => running.err().includes('listening to'));
  const [, address = '', id = ''] = /created (\S+) \((\w+)\)/.exec(running.err()) ?? [];
  await mail(address, 'printed');
  await until('the email', () => running.out().includes('printed'));
  const data = await until('the acknowledgment', async () => {
    const { body } = await system.call('GET', `/deliveries?address_id=${id}&status=delivered`);
    const found = (body as { data: object[] }).data;
    return found.length > 0 ? found : undefined;
  });
  expect(data).toMatchObject([{ outcome: 'accepted', attempt_count: 1 }]);
});

test.each([
  [['--pull'], '--pull needs --address or --create'],
  [['--pull', '--address', 'addr_1', '--since', '1h'], '--pull and --since'],
  [['--receiver', 'rcv_1'], '--receiver is only for --pull'],
])('refuses %j', async (args, text) => {
  const { code, err } = await runCommand(['listen', ...args], { env });
  expect([code, err]).toEqual([2, expect.stringContaining(text)]);
});

test.each([
  [200, 'accepted'],
  [429, 'returned'],
  [503, 'returned'],
  [undefined, 'returned'],
  [404, 'rejected'],
])('a response %s means that an email is %s', (status, kind) => {
  expect(verdictOf(status, 'x').kind).toBe(kind);
});
