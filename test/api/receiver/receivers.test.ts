/** Further receivers of an address: the calls, and the way of an email to each of them. */
import { describe, expect, test } from 'vitest';

import { recountUsage } from '../../../services/adapters/mongo/usage/recount.ts';
import { signatureHolds } from '../../support/receiver.ts';
import type { Answer } from '../../support/start-api.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { openStream } from '../stream/event-source.ts';

const whole = await useInFile(startInProcess({ RETRY_SCHEDULE: '1h', FAILING_AFTER: '200ms' }));

type Made = { id: string; webhook_secret: string };
type Listed = { event_id: string; address_id: string; receiver_id: string; status: string };

/** An account of its own with an address, and calls with a token of it. */
async function owner(path: string) {
  const { id: accountId } = await whole.api.newAccount();
  const { token } = await whole.api.issue({ accountId });
  const ask = (method: string, url: string, body?: object): Promise<Answer> =>
    whole.api.ask(method, url, { token, ...(body && { body }) });
  const { receiver } = whole.pipeline;
  const created = await ask('POST', '/v1/addresses', { webhook_url: receiver.url(path) });
  const address = created.body as { id: string; address: string; webhook_secret: string };
  const receivers = `/v1/addresses/${address.id}/receivers`;
  const list = async (query: string) =>
    (await ask('GET', `/v1/deliveries?${query}`)).body.data as Listed[];
  return {
    token,
    accountId,
    ask,
    address,
    receivers,
    add: async (hook: string, fields: object = {}): Promise<Made> => {
      const answer = await ask('POST', receivers, { url: receiver.url(hook), ...fields });
      expect(answer.status).toBe(201);
      return answer.body as Made;
    },
    list,
    recorded: (query: string, statuses: string[]) =>
      until(`${query} to be ${statuses.join()}`, async () => {
        const found = await list(query);
        const are = found.map(({ status }) => status).toSorted();
        return are.join() === statuses.toSorted().join() ? found : undefined;
      }),
    usage: async () => (await ask('GET', '/v1/usage')).body as Record<string, object>,
  };
}

describe('calls', () => {
  test('the first receiver is the address; further ones are created, changed, rotated and deleted', async () => {
    const { ask, address, receivers, add } = await owner('/own');
    const made = await add('/more', { description: 'warehouse' });
    expect(made).toMatchObject({
      id: expect.stringMatching(/^rcv_/) as string,
      address_id: address.id,
      webhook_secret: expect.stringMatching(/^whsec_/) as string,
      payload: { attachments: 'inline', raw: false, extract: [], storage: null },
      is_failing: false,
      failing_reason: null,
    });
    const { webhook_secret, ...view } = made;
    const { data } = (await ask('GET', receivers)).body as { data: object[] };
    expect(data).toEqual([
      expect.objectContaining({ id: address.id, url: whole.pipeline.receiver.url('/own') }),
      view,
    ]);
    expect(JSON.stringify(data)).not.toContain('whsec_');
    const one = `${receivers}/${made.id}`;
    expect((await ask('GET', one)).body).toEqual(view);
    expect((await ask('GET', `${receivers}/${address.id}`)).body).toEqual(data[0]);
    expect((await ask('GET', `${one}/secret`)).body).toMatchObject({ webhook_secret });

    const changed = await ask('PATCH', one, {
      description: null,
      payload: { attachments: 'omit' },
    });
    expect(changed.body).toMatchObject({
      description: null,
      payload: { attachments: 'omit', raw: false },
    });
    const rotated = await ask('POST', `${one}/rotate-secret`);
    expect(rotated.body.webhook_secret).not.toBe(webhook_secret);
    expect(rotated.body.former_secrets_valid_until).not.toBeNull();

    expect((await ask('POST', `${one}/test`)).body).toMatchObject({ outcome: 'accepted' });
    expect((await ask('DELETE', one)).body).toEqual({ id: made.id, deleted: true });
    for (const answer of [await ask('DELETE', one), await ask('GET', one)])
      expect(answer.status).toBe(404);
    const events = (await ask('GET', '/v1/usage/events')).body.data as { type: string }[];
    expect(events.map(({ type }) => type)).toEqual([
      'receiver.deleted',
      'receiver.updated',
      'receiver.updated',
      'receiver.secret_viewed',
      'receiver.created',
      'address.created',
    ]);
  });

  test('an address has at most ten, also when they are created together; a deleted one makes room', async () => {
    const { ask, receivers } = await owner('/ten');
    const create = () => ask('POST', receivers, { url: 'https://hooks.example.com/' });
    const answers = await Promise.all(Array.from({ length: 12 }, create));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(2);
    await ask('DELETE', `${receivers}/${String(answers[0]?.body.id ?? answers[1]?.body.id)}`);
    expect((await create()).status).toBe(201);
  });

  test('the first receiver has the same calls, except that it cannot be deleted', async () => {
    const { ask, address, receivers } = await owner('/own-only');
    const { webhook_secret } = address;
    const own = `${receivers}/${address.id}`;
    expect((await ask('GET', `${own}/secret`)).body).toMatchObject({ webhook_secret });
    const rotated = (await ask('POST', `${own}/rotate-secret`)).body;
    expect(rotated).toMatchObject({ id: address.id, address_id: address.id });
    expect(rotated.webhook_secret).not.toBe(webhook_secret);
    const { body } = await ask('GET', `/v1/addresses/${address.id}`);
    expect(body.webhook_secret).toBe(rotated.webhook_secret);
    expect((await ask('DELETE', own)).status).toBe(409);
    expect((await ask('POST', `${own}/test`)).body).toMatchObject({ outcome: 'accepted' });
  });
});

describe('email', () => {
  test('each receiver gets its own event, signed with its own secret; the email counts once', async () => {
    const { ask, address, add, recorded, usage, token, accountId } = await owner('/a');
    const [second, third] = [await add('/b'), await add('/c')];
    await using stream = await openStream(whole.api, {
      headers: { authorization: `Bearer ${token}` },
    });
    await stream.nth('stream.ready');
    await whole.send(address.address, 'to three');
    const hooks = await Promise.all(
      ['/a', '/b', '/c'].map((p) => whole.pipeline.receiver.nth(p, 1)),
    );
    const secrets = [address, second, third].map(({ webhook_secret }) => webhook_secret);
    for (const [i, hook] of hooks.entries())
      expect(secrets.map((secret) => signatureHolds(hook, secret))).toEqual(
        secrets.map((_, other) => other === i),
      );
    const ids = hooks.map(({ payload }) => payload.event_id);
    expect(new Set(ids).size).toBe(3);
    for (const { payload } of hooks)
      expect({ ...payload, event_id: '', timestamp: '', metadata: '' }).toEqual({
        ...hooks[0]?.payload,
        event_id: '',
        timestamp: '',
        metadata: '',
      });

    const three = ['delivered', 'delivered', 'delivered'];
    const all = await recorded(`address_id=${address.id}`, three);
    expect(all.map((one) => one.address_id)).toEqual([address.id, address.id, address.id]);
    expect(new Set(all.map((one) => one.receiver_id))).toEqual(
      new Set([address.id, second.id, third.id]),
    );
    expect(await recorded(`receiver_id=${second.id}`, ['delivered'])).toMatchObject([
      { event_id: ids[1], receiver_id: second.id },
    ]);
    expect(await recorded(`receiver_id=${address.id}`, ['delivered'])).toMatchObject([
      { event_id: ids[0] },
    ]);
    for (const id of ids) {
      const { data } = (await ask('GET', `/v1/deliveries/${id}/receivers`)).body;
      expect((data as Listed[]).map((one) => one.event_id)).toEqual(ids);
    }
    expect(await usage()).toMatchObject({
      emails: { total: 1, successful: 1, failed: 0 },
      webhooks: { delivered: 3, failed: 0 },
    });
    expect((await ask('GET', `/v1/addresses/${address.id}`)).body.email_count).toBe(1);
    const received = (await ask('GET', '/v1/usage/events?event_type=email.received')).body;
    expect([received.data, received.pagination]).toMatchObject([[{ id: ids[0] }], { total: 1 }]);
    const differences = await Array.fromAsync(recountUsage(whole.api.mongo.db));
    expect(differences.filter((one) => one.account_id === accountId)).toEqual([]);
    const live = await stream.nth('webhook.delivered');
    expect(live.data).toMatchObject({ address_id: address.id });
  });

  test('D48: a receiver of CloudEvents gets their headers: small and large email, tests, signatures', async () => {
    const { ask, address, receivers, add, recorded } = await owner('/plain');
    const one = await add('/ce', { format: 'cloudevents' });
    expect(one).toMatchObject({ format: 'cloudevents' });
    await whole.send(address.address, 'small');
    await whole.pipeline.mailer.sendMail({
      from: 'ann@sender.example',
      to: address.address,
      text: 'x\n'.repeat(600_000),
    });
    await recorded(`receiver_id=${one.id}`, ['delivered', 'delivered']);
    await ask('POST', `${receivers}/${one.id}/test`);
    const hooks = whole.pipeline.receiver.received('/ce');
    expect(hooks).toHaveLength(3);
    for (const hook of hooks) {
      const { event_id, metadata } = hook.payload;
      expect(hook.headers).toMatchObject({
        'ce-specversion': '1.0',
        'ce-id': event_id,
        'ce-source': `mailto:${address.address}`,
        'ce-type': 'email.inlet.received.v1',
        'ce-time': metadata.received_at,
        'ce-subject': address.address,
      });
      expect(signatureHolds(hook, one.webhook_secret)).toBe(true);
    }
    const signed = await ask('POST', `/v1/deliveries/${hooks[0]?.payload.event_id}/signature`);
    expect(signed.body.headers).toMatchObject({ 'ce-subject': address.address });
    expect((await whole.pipeline.receiver.nth('/plain', 1)).headers).not.toHaveProperty('ce-id');
    expect((await ask('PATCH', `${receivers}/${one.id}`, { format: 'inlet' })).body).toMatchObject({
      format: 'inlet',
    });
  });

  test('a receiver that fails delays no other, and is retried, replayed and canceled alone', async () => {
    const { ask, address, add, recorded, usage } = await owner('/fine');
    const bad = await add('/bad');
    whole.pipeline.receiver.answer('/bad', () => 503);
    await whole.send(address.address, 'one is down');
    const [failing] = await recorded(`receiver_id=${bad.id}`, ['retrying']);
    await recorded(`receiver_id=${address.id}`, ['delivered']);
    const url = `/v1/deliveries/${failing?.event_id}`;
    whole.pipeline.receiver.answer('/bad', () => 400);
    expect((await ask('POST', `${url}/retry`)).status).toBe(200);
    await recorded(`receiver_id=${bad.id}`, ['failed']);
    expect(await usage()).toMatchObject({
      emails: { total: 1, successful: 1, failed: 0 },
      webhooks: { delivered: 1, failed: 1 },
      success_rate: 50,
    });
    whole.pipeline.receiver.answer('/bad', () => 200);
    const bulk = { address_id: address.id, status: 'failed' };
    expect((await ask('POST', '/v1/deliveries/replay', bulk)).body).toMatchObject({ queued: 1 });
    await recorded(`receiver_id=${bad.id}`, ['delivered']);
    expect(whole.pipeline.receiver.received('/fine')).toHaveLength(1);
    expect(await usage()).toMatchObject({ webhooks: { delivered: 2, failed: 0 } });
    const metrics = await (await fetch(whole.pipeline.metricsUrls.dispatcher)).text();
    for (const kind of ['own', 'further'])
      expect(metrics).toMatch(
        new RegExp(`inlet_deliveries_total{status="delivered",receiver_kind="${kind}",.*} [1-9]`),
      );
  });

  test('a repeated email folds at each receiver, and is reported once', async () => {
    const { ask, address, add, recorded } = await owner('/fold');
    await add('/fold-more');
    const mail = {
      from: 'ann@sender.example',
      to: address.address,
      subject: 'again',
      text: 'x',
      messageId: '<one@sender.example>',
      date: new Date(0),
      headers: { 'X-Fixed': '1' },
    };
    await whole.pipeline.mailer.sendMail(mail);
    await whole.pipeline.mailer.sendMail(mail);
    await recorded(`address_id=${address.id}`, ['delivered', 'delivered']);
    const repeated = (await ask('GET', '/v1/usage/events?event_type=email.repeated')).body.data;
    expect(repeated).toHaveLength(1);
  });

  test('a disabled receiver gets no new email; one that is deleted gets what waits (D8)', async () => {
    const { ask, address, receivers, add, recorded } = await owner('/stays');
    const [off, gone] = [await add('/off', { is_enabled: false }), await add('/gone')];
    whole.pipeline.receiver.answer('/gone', (count) => (count === 1 ? 503 : 200));
    await whole.send(address.address, 'before');
    const [waiting] = await recorded(`receiver_id=${gone.id}`, ['retrying']);
    await ask('DELETE', `${receivers}/${gone.id}`);
    await whole.send(address.address, 'after');
    await ask('POST', `/v1/deliveries/${waiting?.event_id}/retry`);
    await recorded(`address_id=${address.id}`, ['delivered', 'delivered', 'delivered']);
    expect(whole.pipeline.receiver.received('/off')).toEqual([]);
    const subjects = whole.pipeline.receiver
      .received('/gone')
      .map(({ payload }) => payload.headers.subject);
    expect(subjects).toEqual(['before', 'before']);

    await ask('PATCH', `${receivers}/${off.id}`, { is_enabled: true });
    await whole.send(address.address, 'on');
    await whole.pipeline.receiver.nth('/off', 1);
  });

  test('D44: an email is erased for all its receivers, by the event of any of them', async () => {
    const { ask, address, receivers, add, recorded } = await owner('/erased');
    const more = await add('/erased-more');
    whole.pipeline.receiver.answer('/erased-more', () => 503);
    await whole.send(address.address, 'secret subject');
    await recorded(`receiver_id=${more.id}`, ['retrying']);
    const [own] = await recorded(`receiver_id=${address.id}`, ['delivered']);
    await ask('POST', receivers, { url: 'https://hooks.example.com/' }); // got no such email
    const erased = await ask('DELETE', `/v1/deliveries/${own?.event_id}/content`);
    expect(erased.status).toBe(200);
    const list = (await ask('GET', '/v1/deliveries')).body;
    expect(list.data).toMatchObject([
      { subject: null, content_erased_at: expect.any(String) as string },
      { subject: null, content_erased_at: expect.any(String) as string },
    ]);
    expect(JSON.stringify(list)).not.toContain('secret subject');
  });

  test('a deleted address keeps no receivers, except for what waits', async () => {
    const { ask, address, add } = await owner('/leaving');
    const { id: _id } = await add('/leaving-more');
    await ask('DELETE', `/v1/addresses/${address.id}`);
    const stored = await whole.api.mongo.db
      .collection<{ _id: string }>('receivers')
      .findOne({ _id });
    expect(stored).toMatchObject({ deleted_at: expect.any(Date) as Date });
  });

  test('a failing receiver is marked, not its address, and recovers', async () => {
    const { ask, address, receivers, add } = await owner('/healthy');
    const failing = await add('/failing');
    const state = async (id: string) => (await ask('GET', `${receivers}/${id}`)).body.is_failing;
    const untilIs = (isFailing: boolean) =>
      until(`is_failing to be ${isFailing}`, async () => {
        await whole.send(address.address, 'one more');
        return (await state(failing.id)) === isFailing;
      });
    whole.pipeline.receiver.answer('/failing', () => 400);
    await untilIs(true);
    expect(await state(address.id)).toBe(false);
    whole.pipeline.receiver.answer('/failing', () => 200);
    await untilIs(false);
    for (const type of ['address.failing', 'address.recovered']) {
      const { data } = (await ask('GET', `/v1/usage/events?event_type=${type}`)).body;
      expect(data).toMatchObject([{ address_id: address.id, data: { receiver_id: failing.id } }]);
    }
  });

  test('waiting for the next email of an address returns it once, as the event of the address', async () => {
    const { ask, address, add } = await owner('/waited');
    await add('/waited-more');
    const since = new Date().toISOString();
    await whole.send(address.address, 'wait');
    const url = `/v1/deliveries/wait?address_id=${address.id}&since=${since}`;
    expect((await ask('GET', url)).body).toMatchObject({ receiver_id: address.id });
  });
});

describe('filters', () => {
  test('a receiver gets only emails for which its filter is true; the address gets all', async () => {
    const { ask, address, add, receivers, recorded } = await owner('/unfiltered');
    const bills = await add('/bills', { when: 'subject.startsWith("Bill") && size_bytes > 10' });
    await add('/large', { when: 'attachments.exists(a, a.size_bytes > 300000)' });
    expect(bills).toMatchObject({ when: 'subject.startsWith("Bill") && size_bytes > 10' });
    await whole.send(address.address, 'Bill 1');
    await whole.send(address.address, 'Order 1');
    await whole.pipeline.mailer.sendMail({
      from: 'a@b.example',
      to: address.address,
      subject: 'Order 2',
      attachments: [{ filename: 'a.bin', content: Buffer.alloc(400_000) }],
    });
    await recorded(
      `address_id=${address.id}`,
      Array.from({ length: 5 }, () => 'delivered'),
    );
    const subjects = (path: string) =>
      whole.pipeline.receiver.received(path).map(({ payload }) => payload.headers.subject);
    expect(new Set(subjects('/unfiltered'))).toEqual(new Set(['Bill 1', 'Order 1', 'Order 2']));
    expect([subjects('/bills'), subjects('/large')]).toEqual([['Bill 1'], ['Order 2']]);

    const all = await ask('PATCH', `${receivers}/${bills.id}`, { when: null });
    expect(all.body).toMatchObject({ when: null });
    await whole.send(address.address, 'Order 3');
    await recorded(`receiver_id=${bills.id}`, ['delivered', 'delivered']);
  });

  test('a filter that fails counts as true, and the record says why', async () => {
    const { ask, address, add, recorded } = await owner('/fails');
    const { id } = await add('/failing-filter', { when: 'headers["x-none"] == ""' });
    await whole.send(address.address, 'no such header');
    const [delivery] = await recorded(`receiver_id=${id}`, ['delivered']);
    const [own] = await recorded(`receiver_id=${address.id}`, ['delivered']);
    const shown = async (one: Listed | undefined) =>
      (await ask('GET', `/v1/deliveries/${one?.event_id}`)).body.filter_error;
    expect(await shown(delivery)).toBe('No such key: x-none (at character 0)');
    expect(await shown(own)).toBeNull();
  });

  test('a filter that is not valid is refused with its position', async () => {
    const { ask, add, receivers } = await owner('/invalid-filter');
    const { id } = await add('/valid');
    for (const answer of [
      await ask('POST', receivers, { url: 'https://hooks.example.com/', when: 'size_bytes > "5"' }),
      await ask('PATCH', `${receivers}/${id}`, { when: 'size_bytes > "5"' }),
    ])
      expect(answer).toMatchObject({
        status: 422,
        body: { details: { field: 'when', position: 0 } },
      });
  });
});
