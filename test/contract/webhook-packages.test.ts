/** Packages that others publish read the webhooks of further receivers. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

import { formatHeaders } from '../../services/core/webhook/cloud-event.ts';
import { EXAMPLE_BODY, EXAMPLE_HEADERS } from '../../services/core/webhook/example.ts';
import { CLOUD_EVENTS, installCloudEventsForPython, installFromNpm } from './tools.ts';

const run = promisify(execFile);
const TIMEOUT_MS = 300_000;

/** What a program prints about webhooks, each a line of JSON. */
async function printed(command: string, args: string[], webhooks: object[]): Promise<object[]> {
  const running = run(command, args);
  running.child.stdin?.end(webhooks.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const { stdout } = await running;
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
}

const eventIn = (address: string) => ({
  headers: {
    'content-type': 'application/json',
    ...formatHeaders({
      format: 'cloudevents',
      eventId: EXAMPLE_HEADERS['webhook-id'],
      address,
      receivedAt: new Date('2026-11-21T08:00:01Z'),
    }),
    ...EXAMPLE_HEADERS,
  },
  body: EXAMPLE_BODY,
});
const EVENT = {
  specversion: '1.0',
  id: EXAMPLE_HEADERS['webhook-id'],
  type: 'email.inlet.received.v1',
  source: 'mailto:orders@in.example.com',
  subject: 'orders@in.example.com',
  time: Date.parse('2026-11-21T08:00:01Z'),
  datacontenttype: 'application/json',
  data: JSON.parse(EXAMPLE_BODY) as object,
};

test(
  'D48: the CloudEvents SDK for JavaScript reads the event',
  { timeout: TIMEOUT_MS },
  async ({ skip }) => {
    const folder = (await installFromNpm('cloudevents', CLOUD_EVENTS)) ?? skip();
    const program = join(folder, 'read.mjs');
    await writeFile(
      program,
      `import { createInterface } from 'node:readline';
     import { HTTP } from 'cloudevents';
     for await (const line of createInterface({ input: process.stdin })) {
       const event = HTTP.toEvent(JSON.parse(line));
       event.validate();
       console.log(JSON.stringify({ ...event.toJSON(), time: Date.parse(event.time) }));
     }`,
    );
    const events = await printed(process.execPath, [program], [eventIn('orders@in.example.com')]);
    expect(events).toEqual([EVENT]);
  },
);

test(
  'D48: so does the one for Python, which also decodes addresses',
  {
    timeout: TIMEOUT_MS,
  },
  async ({ skip }) => {
    const folder = (await installCloudEventsForPython()) ?? skip();
    const program = `
import json, sys
from cloudevents.core.bindings.http import HTTPMessage, from_binary_event
for line in sys.stdin:
    webhook = json.loads(line)
    event = from_binary_event(HTTPMessage(webhook["headers"], webhook["body"].encode()))
    attributes = event.get_attributes()
    time = round(attributes["time"].timestamp() * 1000)
    print(json.dumps({**attributes, "time": time, "data": event.get_data()}))
`;
    const python = join(folder, 'bin', 'python');
    const addresses = ['orders@in.example.com', '"50%" für@in.example.com'];
    const events = await printed(python, ['-c', program], addresses.map(eventIn));
    expect(events).toEqual([
      EVENT,
      {
        ...EVENT,
        source: 'mailto:%2250%25%22%20f%C3%BCr@in.example.com',
        subject: '"50%" für@in.example.com',
      },
    ]);
  },
);
