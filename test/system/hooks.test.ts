/** J2 over the whole system: a program of the customer decides the reply to DATA. */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';

import { questionSecret } from '../../services/core/webhook/signature.ts';
import { type Answer, signatureHolds } from '../support/receiver.ts';
import { startInProcess } from '../support/start-in-process.ts';
import { until } from '../support/until.ts';
import { useInFile } from '../support/use-in-file.ts';

const whole = await useInFile(startInProcess());

type Shown = {
  event_id: string;
  status: string;
  tags: string[];
  ruling: {
    action: string | null;
    reason: string | null;
    hook?: { decision: string; error: string | null; duration_ms: number };
  } | null;
};

const path = () => `/${randomBytes(6).toString('hex')}`;
const decision = (body: object): Answer => ({ status: 200, body: JSON.stringify(body) });

/** An address with a hook that answers like this. */
async function hooked(answer: Answer, fields: object = {}) {
  const [webhook, decide] = [path(), path()];
  whole.pipeline.receiver.answer(decide, () => answer);
  const hook = { url: whole.pipeline.receiver.url(decide), ...fields };
  const { id, address, webhook_secret } = await whole.address(webhook, { hook });
  return { id, address, webhook_secret, hook, webhook, decide };
}

type Sent = { subject?: string; text?: string; attachments?: { content: Buffer }[] };
/** @returns the reply to DATA */
const send = (to: readonly string[], { subject = 'Order', ...more }: Sent = {}) =>
  whole.pipeline.mailer
    .sendMail({ from: 'Ann <ann@sender.example>', to: [...to], subject, text: 'hello', ...more })
    .then(
      ({ response }) => response,
      (error: { response: string }) => error.response,
    );

async function delivery(addressId: string, status: string): Promise<Shown> {
  let found: Shown | undefined;
  await until(`a delivery of ${addressId} to be ${status}`, async () => {
    const { body } = await whole.api.ask('GET', `/v1/deliveries?address_id=${addressId}`);
    found = (body.data as Shown[]).find((one) => one.status === status);
    return found !== undefined;
  });
  const { body } = await whole.api.ask('GET', `/v1/deliveries/${found?.event_id}`);
  return body as Shown;
}

describe('J2: decisions', () => {
  test('accept: asked once with the signed payload, then delivered with its tags', async () => {
    const { id, address, webhook_secret, webhook, decide } = await hooked(
      decision({ decision: 'accept', tags: ['vip'] }),
    );
    const content = Buffer.from('a file');
    expect(await send([address], { attachments: [{ content }] })).toMatch(/^250 /);
    const delivered = await whole.pipeline.receiver.nth(webhook, 1);
    const requested = await whole.pipeline.receiver.nth(decide, 1);
    expect(signatureHolds(requested, questionSecret(webhook_secret))).toBe(true);
    expect(signatureHolds(requested, webhook_secret)).toBe(false);
    const question = delivered.payload.event_id.replace('evt_', 'ask_');
    expect(requested.headers['webhook-id']).toBe(question);
    expect(requested.payload).toMatchObject({
      event_id: question,
      address_id: id,
      content: { text: expect.stringContaining('hello') as string },
      attachments: [{ size_bytes: content.byteLength, content: null }],
    });
    expect(delivered.payload.attachments[0]?.content).toBe(content.toString('base64'));
    expect(delivered.payload.tags).toEqual(['vip']);
    expect(whole.pipeline.receiver.received(decide)).toHaveLength(1);
    expect((await delivery(id, 'delivered')).ruling).toMatchObject({
      action: null,
      hook: { decision: 'accept', error: null },
    });
  });

  test.each<[string, object, string]>([
    [
      'refuse',
      { decision: 'refuse', message: 'No mailbox\r\nfor Ann' },
      '550 5.7.1 No mailbox for Ann',
    ],
    [
      'refuse without text',
      { decision: 'refuse' },
      '550 5.7.1 Message rejected by the policy of the recipient',
    ],
    ['defer', { decision: 'defer', message: 'Come back' }, '451 4.7.1 Come back'],
  ])('%s', async (_, body, reply) => {
    const { address, webhook } = await hooked(decision(body));
    expect(await send([address])).toBe(reply);
    expect(whole.pipeline.receiver.received(webhook)).toEqual([]);
  });

  test('hold: it waits for a release, which asks no more', async () => {
    const { id, address, webhook, decide } = await hooked(decision({ decision: 'hold' }));
    expect(await send([address])).toMatch(/^250 /);
    const held = await delivery(id, 'held');
    expect(held.ruling).toMatchObject({ action: 'hold', reason: 'hook' });
    await whole.api.ask('POST', `/v1/deliveries/${held.event_id}/release`);
    await whole.pipeline.receiver.nth(webhook, 1);
    expect(whole.pipeline.receiver.received(decide)).toHaveLength(1);
  });

  test('drop: accepted and recorded', async () => {
    const { id, address } = await hooked(decision({ decision: 'drop' }));
    expect(await send([address])).toMatch(/^250 /);
    expect((await delivery(id, 'dropped')).ruling).toMatchObject({ reason: 'hook' });
  });

  test('a refusal at one of two recipients holds the email there', async () => {
    const refusing = await hooked(decision({ decision: 'refuse' }));
    const open = await whole.address(path());
    expect(await send([refusing.address, open.address])).toMatch(/^250 /);
    expect((await delivery(refusing.id, 'held')).ruling).toMatchObject({
      reason: 'refused_by_hook',
    });
    await delivery(open.id, 'delivered');
  });

  test('when: only about such email', async () => {
    const { address, decide } = await hooked(decision({ decision: 'refuse' }), {
      when: 'subject.contains("Order")',
    });
    expect(await send([address], { subject: 'Hello' })).toMatch(/^250 /);
    expect(whole.pipeline.receiver.received(decide)).toEqual([]);
    expect(await send([address], { subject: 'Order 7' })).toMatch(/^550 /);
  });

  test('a large email is asked about in its thread, with the beginning of its text', async () => {
    const { address, decide, webhook } = await hooked(decision({ decision: 'accept' }));
    expect(await send([address], { text: 'long '.repeat(100_000) })).toMatch(/^250 /);
    const { payload } = await whole.pipeline.receiver.nth(decide, 1);
    expect(payload.content.text).toHaveLength(64 * 1024);
    expect(payload.parse_warnings).toContainEqual(
      expect.objectContaining({ code: 'cut_for_hook' }),
    );
    const delivered = await whole.pipeline.receiver.nth(webhook, 1);
    expect(delivered.payload.content.text?.length).toBeGreaterThan(400_000);
  });

  test('of the account, for addresses without one of their own', async () => {
    const decide = path();
    whole.pipeline.receiver.answer(decide, () => decision({ decision: 'defer' }));
    const own = await hooked(decision({ decision: 'refuse' }));
    const other = await whole.address(path());
    const hook = { url: whole.pipeline.receiver.url(decide) };
    const set = (value: object | null) =>
      whole.api.ask('PATCH', '/v1/account', { body: { settings: { hook: value } } });
    expect((await set(hook)).body.settings).toMatchObject({
      hook: { ...hook, when: null, timeout_ms: 5000, on_error: 'accept' },
    });
    try {
      await whole.api.ask('PATCH', `/v1/addresses/${other.id}`, { body: { description: 'new' } });
      expect(await send([other.address])).toMatch(/^451 4\.7\.1 /);
      expect(await send([own.address])).toMatch(/^550 /);
    } finally {
      await set(null);
    }
  });
});

const endless = (response: ServerResponse) => {
  response.writeHead(200);
  const write = (): void => {
    while (response.writable && response.write(' '.repeat(64 * 1024)));
    if (response.writable) response.once('drain', write);
  };
  write();
};

describe('J2: whatever is no answer is on_error, never a refusal', () => {
  test.each<[string, Answer, string]>([
    ['it hangs', () => undefined, 'no answer within 0.5 s|no response within 0.5 s'],
    ['it resets', (response) => void response.destroy(), 'socket|hang up|closed|ECONNRESET'],
    ['it answers 100 MB and more', endless, 'its answer is too long'],
    ['invalid JSON', { status: 200, body: '{"decision":' }, 'its answer is not valid'],
    [
      'a redirect',
      { status: 302, headers: { location: 'https://example.com/' } },
      'it responded with 302',
    ],
    ['an error', 503, 'it responded with 503'],
  ])('%s', async (_, answer, error) => {
    const { id, address, hook } = await hooked(answer, { timeout_ms: 500, on_error: 'defer' });
    expect(await send([address])).toMatch(/^451 4\.7\.1 /);
    const accepting = { ...hook, on_error: 'accept' };
    await whole.api.ask('PATCH', `/v1/addresses/${id}`, { body: { hook: accepting } });
    expect(await send([address])).toMatch(/^250 /);
    expect((await delivery(id, 'delivered')).ruling?.hook).toMatchObject({
      decision: 'accept',
      error: expect.stringMatching(error) as string,
    });
  });

  test('a name that resolves to a private address is not called', async () => {
    const { id, address } = await hooked(200, { url: 'https://private.invalid/decide' });
    expect(await send([address])).toMatch(/^250 /);
    const { ruling } = await delivery(id, 'delivered');
    expect(ruling?.hook?.error).toMatch(/does not resolve to a public address/);
  });

  test("one account's slow hook delays nobody else", async () => {
    const slow = await hooked(() => undefined, { timeout_ms: 8_000 });
    const other = await whole.address(path());
    let isSlow = true;
    const waiting = Promise.all(Array.from({ length: 20 }, () => send([slow.address]))).then(
      (replies) => {
        isSlow = false;
        return replies;
      },
    );
    await whole.pipeline.receiver.nth(slow.decide, 20);
    expect(await send([other.address])).toMatch(/^250 /);
    expect(isSlow).toBe(true);
    for (const reply of await waiting) expect(reply).toMatch(/^250 /);
  });
});

/** Of a creation with this hook. */
const refusal = async (hook: object) => {
  const { status, body } = await whole.api.ask('POST', '/v1/addresses', {
    body: { webhook_url: 'https://example.com/', hook },
  });
  return [status, (body.details as { field?: string }).field];
};

test('J2: a hook in a request is checked', async () => {
  const url = 'https://example.com/decide';
  expect(await refusal({ url: 'http://example.com/' })).toEqual([422, 'hook.url']);
  expect(await refusal({ url, when: 'subject =' })).toEqual([422, 'hook.when']);
  expect(await refusal({ url, timeout_ms: 10_001 })).toEqual([422, 'hook.timeout_ms']);
  expect(await refusal({ url, on_error: 'refuse' })).toEqual([422, 'hook.on_error']);
});
