/**
 * The search in texts over the whole system (D240): from SMTP to GET /deliveries, who may use it, and
 * when the words are gone.
 */
import { jetstreamManager } from '@nats-io/jetstream';
import { describe, expect, test } from 'vitest';

import { createDeliveries } from '../../../services/adapters/mongo/delivery/deliveries.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';

const DAY_MS = 86_400_000;
const whole = await useInFile(startInProcess({ SEARCH_BODIES: '30d', PARTITIONS: '1' }));
const setAccount = (settings: object) =>
  whole.api.ask('PATCH', '/v1/account', { body: { settings } });
await setAccount({ search_bodies: true });

type Record = { _id: string; status: string; search?: { terms: string[]; text_until?: Date } };
const recordOf = (id: string) =>
  whole.pipeline.mongo.db.collection<Record>('deliveries').findOne({ _id: id });
const wordsOf = async (id: string) =>
  (await recordOf(id))?.search?.terms.filter((term) => term.startsWith('text:'));

/** Resolves with the id of the event when its delivery is recorded. */
async function received(
  { address }: { address: string },
  path: string,
  mail: { text?: string; html?: string; subject?: string },
): Promise<string> {
  const count = whole.pipeline.receiver.received(path).length;
  await whole.pipeline.mailer.sendMail({ from: 'ann@sender.example', to: address, ...mail });
  const { payload } = await whole.pipeline.receiver.nth(path, count + 1);
  await until('the record', async () => (await recordOf(payload.event_id))?.status === 'delivered');
  return payload.event_id;
}

const search = (query: string, options = {}) =>
  whole.api.ask('GET', `/v1/deliveries?${query}`, options);
const found = async (query: string, options = {}): Promise<string[]> =>
  ((await search(query, options)).body.data as { event_id: string }[]).map((one) => one.event_id);
const text = (words: string) => `text=${encodeURIComponent(words)}`;

describe('what is found', () => {
  test('words of text and HTML, together with other filters, in lists and replays', async () => {
    const address = await whole.address('/found');
    const plain = await received(address, '/found', {
      subject: 'Order 77',
      text: 'The lamp arrived broken, please refund it.',
    });
    const html = await received(address, '/found', {
      subject: 'Order 78',
      html: '<p>The <b>lamp</b> is fine.</p><p hidden>refund</p>',
    });
    const chinese = await received(address, '/found', { subject: 'x', text: '请尽快退款给我' });
    expect(await found(text('lamp'))).toEqual([html, plain]);
    expect(await found(text('refund lamp'))).toEqual([plain]);
    expect(await found(text('refun*'))).toEqual([plain]);
    expect(await found(text('退款'))).toEqual([chinese]);
    expect(await found(`${text('lamp')}&subject=78`)).toEqual([html]);
    expect(await found(`${text('lamp')}&status=failed`)).toEqual([]);
    const body = { status: 'delivered', text: 'refund' };
    expect(await whole.api.ask('POST', '/v1/deliveries/replay', { body })).toMatchObject({
      body: { queued: 1 },
    });
    const { body: shown } = await whole.api.ask('GET', `/v1/deliveries/${plain}`);
    expect(JSON.stringify(shown)).not.toContain('lamp');
  });

  test('a text with more words than are searched is stored, and found by its first ones', async () => {
    const address = await whole.address('/many');
    const letters = Array.from({ length: 20_000 }, (_, n) => String.fromCodePoint(0x4e00 + n));
    const id = await received(address, '/many', {
      subject: letters.slice(0, 1_000).join(''),
      text: `walrus ${letters.toReversed().join('')}`,
    });
    expect((await wordsOf(id))?.length).toBeGreaterThan(2_000);
    expect(await found(text('walrus'))).toEqual([id]);
  });

  test('not by those who cannot read the email', async () => {
    const address = await whole.address('/readers');
    const other = await whole.address('/others');
    const id = await received(address, '/readers', { text: 'walnuts' });
    const requested = async (fields: object) => {
      const { token } = await whole.api.issue(fields);
      return search(text('walnuts'), { token });
    };
    expect((await requested({ permissions: ['deliveries:read'] })).body.data).toMatchObject([
      { event_id: id },
    ]);
    expect((await requested({ permissions: ['addresses:read'] })).status).toBe(403);
    expect((await requested({ environment: 'test' })).body.data).toEqual([]);
    const limited = { permissions: ['deliveries:read'], limit: { address_ids: [other.id] } };
    expect((await requested(limited)).body.data).toEqual([]);
    const { id: accountId } = await whole.api.newAccount();
    expect(await requested({ accountId })).toMatchObject({
      status: 409,
      body: { details: { field: 'text', code: 'conflict' } },
    });
  });
});

describe('what is not collected', () => {
  test('the text of an address with redact', async () => {
    const address = await whole.address('/redacted', { redact: ['subject'] });
    const id = await received(address, '/redacted', { subject: 'pecans', text: 'pecans' });
    expect(await wordsOf(id)).toEqual([]);
  });

  test('any text while the account does not want it; a search of text is refused then', async () => {
    const account = await whole.api.newAccount();
    const { token } = await whole.api.issue({ accountId: account.id });
    const { body } = await whole.api.ask('POST', '/v1/addresses', {
      token,
      body: { webhook_url: whole.pipeline.receiver.url('/off') },
    });
    const id = await received({ address: String(body.address) }, '/off', { text: 'hazelnuts' });
    expect(await recordOf(id)).toMatchObject({ search: { terms: expect.any(Array) as string[] } });
    expect(await wordsOf(id)).toEqual([]);
    const manager = await jetstreamManager(whole.pipeline.nats.connection);
    const message = await manager.streams.getMessage('MAIL-0', {
      last_by_subj: `mail.0.${account.id}.*`,
    });
    expect(message?.header.get('Inlet-Event')).not.toContain('text_words');
    expect(await search(text('hazelnuts'), { token })).toMatchObject({
      status: 409,
      body: { details: { field: 'text', code: 'conflict' } },
    });
  });
});

describe('when the words are gone', () => {
  test('after an erasure', async () => {
    const id = await received(await whole.address('/erased'), '/erased', { text: 'almonds' });
    expect(await found(text('almonds'))).toEqual([id]);
    expect((await whole.api.ask('DELETE', `/v1/deliveries/${id}/content`)).status).toBe(200);
    expect(await found(text('almonds'))).toEqual([]);
    expect((await recordOf(id))?.search).toBeUndefined();
  });

  test('when the retention of the content ends', async () => {
    const address = await whole.address('/short', { retention_hours: 0 });
    const id = await received(address, '/short', { subject: 'Short', text: 'chestnuts' });
    await until('the words to go', async () => (await wordsOf(id))?.length === 0);
    expect(await found('subject=short')).toEqual([id]);
    expect((await recordOf(id))?.search).not.toHaveProperty('text_until');
  });

  test('after SEARCH_BODIES; the record is found by its other terms', async () => {
    const id = await received(await whole.address('/late'), '/late', {
      subject: 'Late',
      text: 'cashews',
    });
    const { search: kept } = (await recordOf(id))!;
    const leftMs = kept!.text_until!.getTime() - Date.now();
    expect(leftMs).toBeGreaterThan(29 * DAY_MS);
    expect(leftMs).toBeLessThanOrEqual(30 * DAY_MS);
    const deliveries = createDeliveries(whole.pipeline.mongo.db);
    await deliveries.forgetTexts(new Date(Date.now() + 29 * DAY_MS), 500);
    expect(await found(text('cashews'))).toEqual([id]);
    await deliveries.forgetTexts(new Date(Date.now() + 31 * DAY_MS), 500);
    expect(await found(text('cashews'))).toEqual([]);
    expect(await found('subject=late')).toEqual([id]);
    expect(await deliveries.forgetTexts(new Date(Date.now() + 31 * DAY_MS), 500)).toBe(0);
  });
});
