/** J1 over the whole system: rules, lists, held emails and their release, and the trace. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';

import { startTestDns } from '../support/dns-server.ts';
import { startInProcess } from '../support/start-in-process.ts';
import { until } from '../support/until.ts';
import { useInFile } from '../support/use-in-file.ts';

const dns = await useInFile(startTestDns());
dns.set('partner.test', { TXT: ['v=spf1 ip4:127.0.0.1 -all'] });
dns.set('_dmarc.partner.test', { TXT: ['v=DMARC1; p=reject'] });
dns.set('_dmarc.other.test', { TXT: ['v=DMARC1; p=none'] });
const whole = await useInFile(
  startInProcess({
    MAIL_AUTH: 'true',
    DNS_SERVERS: dns.address,
    RETRY_SCHEDULE: '1h',
  }),
);

type Shown = {
  event_id: string;
  status: string;
  tags: string[];
  released_at: string | null;
  ruling: {
    action: string | null;
    reason: string | null;
    rules: { name: string; result: string; scope: string }[];
    facts: { name: string; value: string }[];
  } | null;
};
const unique = () => randomBytes(6).toString('hex');
const ask = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
  whole.api.ask(method, `/v1${path}`, body === undefined ? {} : { body });
const ok = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) => {
  const { status, body: answer } = await ask(method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
};
const delivery = async (id: string) => (await ok('GET', `/deliveries/${id}`)) as Shown;
const listed = async (query: string) => (await ok('GET', `/deliveries?${query}`)).data as Shown[];

/** Sends an email in the name of this author. @returns the reply to DATA */
const send = (from: string, to: readonly string[], subject = unique()) =>
  whole.pipeline.mailer
    .sendMail({ envelope: { from, to: [...to] }, from, to: [...to], subject, text: 'hello' })
    .then(
      ({ response }) => response,
      (error: { response: string }) => error.response,
    );

/** The only delivery of an address, once it has this status. */
async function only(addressId: string, status: string): Promise<Shown> {
  await until(`a delivery of ${addressId} to be ${status}`, async () =>
    (await listed(`address_id=${addressId}`)).some((one) => one.status === status),
  );
  const [found] = await listed(`address_id=${addressId}&status=${status}`);
  return delivery(found?.event_id ?? '');
}

const HOLD_ALL = [{ name: 'hold all', when: 'true', action: 'hold' }];
const paths = () => `/${unique()}`;

describe('J1: actions', () => {
  test('refuse: 550 with a text that reveals no rule', async () => {
    const { address } = await whole.address(paths(), {
      rules: [{ name: 'no orders', when: 'subject.contains("Order")', action: 'refuse' }],
    });
    expect(await send('ann@partner.test', [address], 'Order 7')).toBe(
      '550 5.7.1 Message rejected by the policy of the recipient',
    );
    expect(await send('ann@partner.test', [address], 'Hello')).toMatch(/^250 /);
  });

  test('drop: accepted, recorded, no webhook', async () => {
    const path = paths();
    const { id, address } = await whole.address(path, {
      rules: [{ name: 'noise', when: 'true', action: 'drop' }],
    });
    expect(await send('ann@partner.test', [address])).toMatch(/^250 /);
    const dropped = await only(id, 'dropped');
    expect(dropped.ruling).toMatchObject({ action: 'drop', reason: 'rule' });
    expect(whole.pipeline.receiver.received(path)).toHaveLength(0);
    const usage = await ok('GET', `/usage/daily?address_id=${id}`);
    expect(usage.total).toMatchObject({ received: 1, dropped: 1, held: 0, waiting: 0 });
    await ok('POST', `/deliveries/${dropped.event_id}/release`);
    await whole.pipeline.receiver.nth(path, 1);
    const { history } = await ok('GET', `/deliveries/${dropped.event_id}`);
    expect(history).toMatchObject([
      { did: 'dropped', actor: 'inlet', by: null },
      { did: 'released', actor: 'token', by: expect.stringMatching(/^token_/) },
    ]);
    const { data: newest } = await ok('GET', `/deliveries/newest?address_ids=${id},addr_none`);
    expect(newest).toMatchObject([{ event_id: dropped.event_id, email_id: dropped.event_id }]);
  });

  test('tag: in the payload, the record, the search and the filters', async () => {
    const [path, further] = [paths(), paths()];
    const { id, address } = await whole.address(path, {
      rules: [
        { name: 'vip', when: 'from.domain == "partner.test"', action: 'tag', tags: ['vip'] },
        { name: 'all', when: '"vip" in tags', action: 'tag', tags: ['vip', 'seen'] },
      ],
    });
    await ok('POST', `/addresses/${id}/receivers`, {
      url: whole.pipeline.receiver.url(further),
      when: '"seen" in tags',
    });
    await send('ann@partner.test', [address]);
    const { payload } = await whole.pipeline.receiver.nth(path, 1);
    expect(payload.tags).toEqual(['vip', 'seen']);
    await whole.pipeline.receiver.nth(further, 1);
    const found = await until('both records', async () => {
      const records = await listed(`address_id=${id}&tag=seen`);
      return records.length === 2 ? records : undefined;
    });
    for (const { tags } of found) expect(tags).toEqual(['vip', 'seen']);
    expect(await listed(`address_id=${id}&tag=other`)).toEqual([]);
  });

  test('hold: no webhook until the release, which all receivers get; each with its trace', async () => {
    const [path, further] = [paths(), paths()];
    const { id, address } = await whole.address(path, { rules: HOLD_ALL });
    await ok('POST', `/addresses/${id}/receivers`, { url: whole.pipeline.receiver.url(further) });
    await send('ann@partner.test', [address], 'Held');
    await until('both to be held', async () => {
      return (await listed(`address_id=${id}&status=held`)).length === 2;
    });
    const held = (await listed(`address_id=${id}&receiver_id=${id}`))[0]?.event_id ?? '';
    expect(await delivery(held)).toMatchObject({
      status: 'held',
      outcome: null,
      released_at: null,
      ruling: {
        action: 'hold',
        reason: 'rule',
        rules: [{ name: 'hold all', scope: 'address', result: 'matched' }],
        facts: [],
      },
    });
    expect((await ok('GET', `/deliveries/${held}/email`)).headers).toMatchObject({
      subject: 'Held',
    });
    await ok('POST', `/deliveries/${held}/release`);
    for (const one of [path, further]) await whole.pipeline.receiver.nth(one, 1);
    const released = await only(id, 'delivered');
    expect(released.released_at).not.toBeNull();
    expect((await ask('POST', `/deliveries/${held}/release`)).status).toBe(409);
    expect((await ask('POST', `/deliveries/${held}/drop`)).status).toBe(409);
    const { data } = await ok('GET', `/usage/events?event_type=email.held`);
    expect((data as { data: object }[]).map((one) => one.data)).toContainEqual(
      expect.objectContaining({ event_id: held, rule: 'hold all', reason: 'rule' }),
    );
  });

  test('X.4: a release makes the author known, and an erasure forgets the author', async () => {
    const { id, address } = await whole.address(paths(), {
      rules: [{ name: 'new', when: 'first_seen', action: 'hold' }],
    });
    const known = () =>
      whole.api.mongo.db.collection('known_authors').countDocuments({ address_id: id });
    await send('ann@partner.test', [address]);
    const { event_id, ruling } = await only(id, 'held');
    expect(ruling?.facts).toContainEqual({ name: 'first_seen', value: 'true' });
    expect(await known()).toBe(0);
    const rules = [{ name: 'new', when: '!first_seen', action: 'drop' }];
    const tried = await ok('POST', '/rules/test', { event_id, rules });
    expect(tried).toMatchObject({ action: 'deliver', facts: [{ name: 'first_seen' }] });
    await ok('POST', `/deliveries/${event_id}/release`);
    expect(await known()).toBe(1);
    await only(id, 'delivered');
    await send('ann@partner.test', [address]);
    await until('the second to be delivered', async () => {
      return (await listed(`address_id=${id}&status=delivered`)).length === 2;
    });
    await ok('DELETE', `/deliveries/${event_id}/content`);
    expect(await known()).toBe(0);
  });

  test('a held email can be dropped, and a dropped one released', async () => {
    const path = paths();
    const { id, address } = await whole.address(path, { rules: HOLD_ALL });
    await send('ann@partner.test', [address]);
    const { event_id } = await only(id, 'held');
    expect(await ok('POST', `/deliveries/${event_id}/drop`)).toMatchObject({ status: 'dropped' });
    expect(whole.pipeline.receiver.received(path)).toHaveLength(0);
    await ok('POST', `/deliveries/${event_id}/release`);
    await whole.pipeline.receiver.nth(path, 1);
  });

  test('D168: a release counts for a delivery to another receiver that is recorded later', async () => {
    const [path, further] = [paths(), paths()];
    const { id, address } = await whole.address(path, { rules: HOLD_ALL });
    const { id: receiver } = await ok('POST', `/addresses/${id}/receivers`, {
      url: whole.pipeline.receiver.url(further),
    });
    await send('ann@partner.test', [address]);
    const records = whole.api.mongo.db.collection<{ _id: string }>('deliveries');
    const ids = { address_id: { $in: [id, receiver] } };
    await until('both records', async () => (await records.countDocuments(ids)) === 2);
    const { _id: event_id } = (await records.findOne({ address_id: id }))!;
    // as if no dispatcher had had it yet
    await records.deleteOne({ address_id: receiver });
    await ok('POST', `/deliveries/${event_id}/release`);
    await whole.pipeline.receiver.nth(path, 1);
    const marks = whole.api.mongo.db.collection<{ _id: string }>('email_marks');
    expect(await marks.findOne({ _id: event_id })).toMatchObject({ decision: 'released' });
  });

  test('many are released by a bulk replay of those that are held', async () => {
    const path = paths();
    const { id, address } = await whole.address(path, { rules: HOLD_ALL });
    for (let n = 0; n < 3; n++) await send('ann@partner.test', [address]);
    await until('three to be held', async () => {
      return (await listed(`address_id=${id}&status=held`)).length === 3;
    });
    expect(
      await ok('POST', '/deliveries/replay', { status: 'held', address_id: id }),
    ).toMatchObject({ queued: 3 });
    await whole.pipeline.receiver.nth(path, 3);
  });
});

describe('J1: several recipients', () => {
  test('refused only if every recipient refuses; otherwise held for those that did', async () => {
    const [open, closed] = [paths(), paths()];
    const other = await whole.address(open);
    const strict = await whole.address(closed, {
      rules: [{ name: 'nobody', when: 'true', action: 'refuse' }],
    });
    const picky = await whole.address(paths(), { allowed_senders: { senders: ['partner.test'] } });
    expect(await send('eve@other.test', [strict.address, picky.address])).toMatch(/^550 5\.7\.1 /);
    expect(await send('eve@other.test', [other.address, strict.address, picky.address])).toMatch(
      /^250 /,
    );
    await whole.pipeline.receiver.nth(open, 1);
    expect((await only(strict.id, 'held')).ruling).toMatchObject({ reason: 'refused_by_rule' });
    const { ruling, event_id } = await only(picky.id, 'held');
    const refused = { name: 'allowed_senders', scope: 'address', action: 'refuse' };
    expect(ruling).toMatchObject({
      reason: 'sender_not_allowed',
      rules: [{ ...refused, is_built_in: true, result: 'matched' }],
    });
    const { data } = await ok('GET', `/usage/events?event_type=email.held`);
    expect((data as { data: object }[]).map((one) => one.data)).toContainEqual(
      expect.objectContaining({ event_id, rule: 'allowed_senders', reason: 'sender_not_allowed' }),
    );
    expect(await ok('POST', '/rules/test', { event_id })).toMatchObject({
      action: 'refuse',
      rules: ruling?.rules,
      facts: ruling?.facts,
    });
    expect(whole.pipeline.receiver.received(closed)).toHaveLength(0);
  });
});

describe('J1: lists', () => {
  test('sender in lists.partners means an authenticated author, and follows changes', async () => {
    const name = `l${unique()}`;
    const list = (await ok('POST', '/lists', { name, entries: ['partner.test'] })) as {
      id: string;
    };
    const { id, address } = await whole.address(paths(), {
      rules: [{ name: 'strangers', when: `!(sender in lists.${name})`, action: 'refuse' }],
    });
    expect(await send('ann@partner.test', [address])).toMatch(/^250 /);
    expect(await send('eve@other.test', [address])).toMatch(/^550 /);
    await ok('PATCH', `/lists/${list.id}`, { remove: ['partner.test'], add: ['third.test'] });
    expect(await send('ann@partner.test', [address])).toMatch(/^550 /);
    const exported = await fetch(`${whole.api.url}/v1/lists/${list.id}/entries`, {
      headers: { authorization: `Bearer ${whole.api.token}` },
    });
    expect(await exported.text()).toBe('third.test\n');
    await ok('DELETE', `/lists/${list.id}`);
    expect(await send('eve@other.test', [address])).toMatch(/^250 /); // a rule that fails does nothing
    const failed = await until('its trace', async () => {
      const [newest] = await listed(`address_id=${id}`);
      const shown = newest && (await delivery(newest.event_id));
      return shown?.ruling?.rules[0]?.result === 'failed' ? shown : undefined;
    });
    expect(failed).toBeDefined();
  });
});

describe('J1: rules of the account, and tests', () => {
  test("the account's come first; POST /rules/test returns the same trace", async () => {
    const rules = [{ name: 'tag all', when: 'size_bytes > 0', action: 'tag', tags: ['all'] }];
    await ok('PATCH', '/account', { settings: { rules } });
    const { id, address } = await whole.address(paths(), {
      rules: [{ name: 'hold tagged', when: '"all" in tags', action: 'hold' }],
    });
    await send('ann@partner.test', [address], 'Both');
    const { event_id, ruling, tags } = await only(id, 'held');
    expect(tags).toEqual(['all']);
    expect(ruling?.rules.map(({ name, scope }) => `${scope}: ${name}`)).toEqual([
      'account: tag all',
      'address: hold tagged',
    ]);
    const tested = await ok('POST', '/rules/test', { event_id });
    expect(tested).toEqual({
      action: 'hold',
      tags: ['all'],
      rules: ruling?.rules,
      facts: ruling?.facts,
      warnings: [],
    });
    const other = await ok('POST', '/rules/test', {
      event_id,
      account_rules: [],
      rules: [{ name: 'x', when: 'subject == "Both"', action: 'refuse' }],
    });
    expect(other).toMatchObject({ action: 'refuse', facts: [{ name: 'subject', value: 'Both' }] });
    const posted = await ok('POST', '/rules/test', {
      email: 'From: a@b.example\r\nSubject: x\r\n\r\n',
      account_rules: [],
      rules: [{ name: 'x', when: 'sender == ""', action: 'drop' }],
    });
    expect(posted).toMatchObject({
      action: 'drop',
      warnings: [expect.any(String), expect.any(String)],
    });
    await ok('PATCH', '/account', { settings: { rules: [] } });
  });

  test('fields that refuse are rules, also for an email in a request', async () => {
    const { id } = await whole.address(paths(), {
      spam_refuse_above: 5,
      allowed_senders: { senders: ['partner.test'] },
      allowed_attachments: { types: [], max_bytes: null },
    });
    const tested = (from: string) =>
      ok('POST', '/rules/test', { email: `From: ${from}\r\n\r\n`, address_id: id });
    expect(await tested('ann@partner.test')).toMatchObject({
      action: 'deliver',
      rules: [
        { name: 'allowed_senders', result: 'not_matched' },
        { name: 'allowed_attachments', result: 'not_matched' },
        { name: 'spam_refuse_above', result: 'not_matched' },
      ],
      warnings: [expect.stringContaining('allowed_senders'), expect.any(String)],
    });
    expect(await tested('eve@other.test')).toMatchObject({
      action: 'refuse',
      rules: [{ name: 'allowed_senders', result: 'matched' }],
    });
  });

  test.each([
    [{ name: 'a', when: '1', action: 'hold' }, 'rules.0.when'],
    [{ name: 'a', when: 'true', action: 'tag' }, 'rules.0.tags'],
    [{ name: 'a', when: 'true', action: 'hold', tags: ['x'] }, 'rules.0.tags'],
    [{ name: 'a', when: 'true', action: 'explode' }, 'rules.0.action'],
    [{ name: 'a', when: 'true', action: 'tag', tags: ['No Tag'] }, 'rules.0.tags.0'],
    [{ name: 'a', when: 'true', action: 'drop', extra: 1 }, 'rules.0.extra'],
  ])('%o is refused at %s', async (rule, field) => {
    const { status, body } = await ask('POST', '/addresses', {
      webhook_url: whole.pipeline.receiver.url('/x'),
      rules: [rule],
    });
    expect(status).toBe(422);
    expect(body).toMatchObject({ details: { field } });
  });
});
