/** Who read which part of an email: X.5, D279. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, inject, test } from 'vitest';
import { z } from 'zod';

import type { ApiStore } from '../../../services/api/content/store-for-api.ts';
import { defineEmailEndpoint, defineEndpoint } from '../../../services/api/http/endpoint.ts';
import type { Delivery } from '../../../services/core/delivery/delivery.ts';
import { runCommand } from '../../support/inlet-command.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { callTool } from '../mcp/mcp-client.ts';

const here = (url: string) => url.replace('https://api.example.com', whole.api.url);

const whole = await useInFile(
  startInProcess({
    MCP: 'true',
    LINK_KEYS: randomBytes(32).toString('base64'),
    PUBLIC_API_URL: 'https://api.example.com/v1',
  }),
);
const address = await whole.address('/read', {
  payload: { raw: true, attachments: 'url', extract: ['codes'] },
});
await whole.pipeline.mailer.sendMail({
  from: 'Ann <ann@sender.example>',
  to: address.address,
  subject: 'Your code',
  text: 'Your code is 482913.',
  html: '<p>Your code is 482913.</p>',
  attachments: [{ filename: 'notes.txt', content: 'a note' }],
});
const { payload } = await whole.pipeline.receiver.nth('/read', 1);
const { event_id, content, attachments } = payload as unknown as {
  event_id: string;
  content: { raw_url: string };
  attachments: { content_url: string }[];
};
const email = {
  eventId: event_id,
  addressId: address.id,
  raw: here(content.raw_url),
  attachment: here(attachments[0]?.content_url ?? ''),
};
await until('its record', async () => {
  const { body } = await whole.api.ask('GET', `/v1/deliveries/${event_id}`);
  return body.status === 'delivered';
});

const setting = (record_views: boolean) =>
  whole.api.ask('PATCH', '/v1/account', { body: { settings: { record_views } } });
const get = (path: string) =>
  fetch(`${whole.api.url}/v1/${path}`, { headers: { authorization: `Bearer ${whole.api.token}` } });

type Event = { type: string; address_id: string; data: Record<string, unknown> };
const views = async () => {
  const { body } = await whole.api.ask('GET', '/v1/usage/events?event_type=email.viewed&limit=100');
  return (body.data as Event[]).toReversed();
};

/** Each way to read a part of the email. */
const readings = (): [part: string, way: string, read: () => Promise<unknown>][] => [
  ['text', 'api', () => get(`deliveries/${email.eventId}/email`)],
  ['html', 'api', () => get(`deliveries/${email.eventId}/html`)],
  ['payload', 'api', () => get(`deliveries/${email.eventId}/payload`)],
  ['raw', 'link', () => fetch(email.raw)],
  ['attachment', 'link', () => fetch(email.attachment)],
  [
    'codes',
    'api',
    () => get(`deliveries/wait?address_id=${email.addressId}&code=true&since=2020-01-01T00:00:00Z`),
  ],
  ['text', 'mcp', () => callTool(whole.api, 'get_email', { event_id: email.eventId })],
  ['codes', 'mcp', () => callTool(whole.api, 'get_codes_and_links', { event_id: email.eventId })],
  [
    'condition',
    'api',
    () =>
      whole.api.ask('POST', '/v1/expressions/test', {
        body: { when: 'subject.contains("code")', event_id: email.eventId },
      }),
  ],
  [
    'condition',
    'api',
    () => whole.api.ask('POST', '/v1/rules/test', { body: { event_id: email.eventId } }),
  ],
];

test('nothing is recorded unless the account asks for it', async () => {
  for (const [, , read] of readings()) await read();
  expect(await views()).toEqual([]);
});

test('each part that is read is an event with who read it and how, before the response', async () => {
  expect((await setting(true)).status).toBe(200);
  for (const [, , read] of readings()) await read();
  const found = await views();
  expect(found.map(({ data }) => [data.part, data.way])).toEqual(
    readings().map(([part, way]) => [part, way]),
  );
  for (const { address_id, data } of found) {
    expect(address_id).toBe(email.addressId);
    expect(data).toMatchObject({ event_id: email.eventId, source_ip: '127.0.0.1' });
    expect([data.way, data.actor, typeof data.token_id]).toEqual(
      data.way === 'link' ? ['link', undefined, 'undefined'] : [data.way, 'token', 'string'],
    );
  }
});

test('what is refused, lists and an email in the request leave no event', async () => {
  const before = (await views()).length;
  const { token } = await whole.api.issue({ permissions: ['addresses:read'] });
  await whole.api.ask('GET', `/v1/deliveries/${email.eventId}/email`, { token });
  await get('deliveries/evt_none/email');
  await fetch(email.raw.replace('signature=', 'signature=x'));
  await get('deliveries');
  await get(`deliveries/${email.eventId}`);
  await get(`deliveries/wait?address_id=${email.addressId}&since=2020-01-01T00:00:00Z`);
  await whole.api.ask('POST', '/v1/expressions/test', {
    body: { when: 'true', email: 'From: a@b.example\r\n\r\nhi' },
  });
  expect((await views()).length).toBe(before);
});

test('a view that cannot be recorded shows nothing', async () => {
  const { db } = whole.pipeline.mongo;
  await db.command({ collMod: 'events', validator: { type: { $ne: 'email.viewed' } } });
  try {
    const response = await get(`deliveries/${email.eventId}/email`);
    expect(response.status).toBeGreaterThanOrEqual(500);
    expect(await response.text()).not.toContain('482913');
  } finally {
    await db.command({ collMod: 'events', validator: {} });
  }
});

test('inlet admin access-report answers who read the emails of a sender', async () => {
  const mongoUri = new URL(inject('mongoUri'));
  mongoUri.pathname = `/${whole.pipeline.mongo.db.databaseName}`;
  const report = async (about: string) => {
    const { code, out, err } = await runCommand(['admin', 'access-report', '--about', about], {
      env: { MONGODB_URI: mongoUri.href },
    });
    return code === 0 ? (JSON.parse(out) as { views: unknown[]; is_cut: boolean }) : err;
  };
  const { length } = await views();
  for (const about of ['ann@sender.example', 'sender.example'])
    expect(await report(about)).toMatchObject({
      about,
      is_cut: false,
      views: expect.objectContaining({ length }) as unknown,
    });
  expect(await report('bob@sender.example')).toMatchObject({ views: [] });
  expect(await report('ann')).toContain('--about needs an email address or a domain');
});

test('D312: an endpoint that reads an email and does not say that it shows it does not compile', () => {
  const store = {} as Pick<ApiStore, 'payload' | 'raw' | 'attachments'>;
  const definition = {
    call: 'GET /x/{id}',
    operationId: 'x',
    summary: 'x',
    permission: 'deliveries:read',
    reach: 'limited',
    response: z.null(),
  } as const;
  const shown = { part: 'text', emailOf: () => undefined } as const;
  const delivery = {} as Delivery;
  const endpoints = () => [
    defineEmailEndpoint({
      ...definition,
      shows: shown,
      handle: async ({ view }) => store.payload(delivery, view).then(() => null),
    }),
    // @ts-expect-error without `shows`
    defineEmailEndpoint({ ...definition, handle: async () => null }),
    // @ts-expect-error another endpoint has no View
    defineEndpoint({ ...definition, handle: async ({ view }) => view }),
    // @ts-expect-error reading demands one
    defineEndpoint({ ...definition, handle: () => store.payload(delivery).then(() => null) }),
    // @ts-expect-error
    defineEndpoint({ ...definition, handle: () => store.raw('evt_1').then(() => null) }),
    // @ts-expect-error
    defineEndpoint({ ...definition, handle: () => store.attachments('evt_1').then(() => null) }),
  ];
  expect(endpoints).toBeTypeOf('function');
});

test('D312: which files of the API read content that nobody sees, or record a view', async () => {
  const root = join(import.meta.dirname, '..', '..', '..', 'services', 'api');
  const { glob } = await import('node:fs/promises');
  const found: Record<string, string[]> = { NOT_SHOWN: [], RECORDED: [] };
  for await (const file of glob('**/*.ts', { cwd: root })) {
    const text = await readFile(join(root, file), 'utf8');
    for (const [name, files] of Object.entries(found))
      if (new RegExp(`import .*\\b${name}\\b`).test(text)) files.push(file);
  }
  expect(found.NOT_SHOWN?.toSorted()).toEqual([
    'email/email-endpoints.ts', // signs
    'notification/notification-endpoints.ts', // no email
    'pull/leased-response.ts', // writeLeased demands the View
  ]);
  expect(found.RECORDED?.toSorted()).toEqual(['email/email-views.ts', 'http/endpoint.ts']);
});
