/**
 * From the claim of a domain to a webhook: a change of an address applies at the gateway when the
 * API has responded (D8). NATS has the announcement then, but may still be writing it to the gateway: an email
 * that was faster is sent once more, long before a cached address is read again (30 s).
 */
import { isDeepStrictEqual } from 'node:util';

import { expect, test } from 'vitest';

import { startTestDns } from '../../support/dns-server.ts';
import { until } from '../../support/until.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { useInFile } from '../../support/use-in-file.ts';

const dns = await useInFile(startTestDns());
const way = await useInFile(startInProcess({ DNS_SERVERS: dns.address }));
const { body: own } = await way.api.ask('POST', '/v1/domains', { body: { domain: 'own.example' } });
const { name, value } = own.verification as { name: string; value: string };
dns.set(name, { TXT: [value] });
await way.api.ask('POST', `/v1/domains/${String(own.id)}/verify`);

let sent = 0;
/** The webhook of an email to this mailbox (path, recipients, tag), or the refusal. */
async function delivered(to: string) {
  const subject = `mail ${++sent}`;
  try {
    await way.send(to, subject);
  } catch (error) {
    return (error as { response?: string }).response?.replace(/^.*?(\d{3} \d\.\d\.\d).*$/s, '$1');
  }
  const { path, payload } = await until('the webhook', () =>
    way.pipeline.receiver.received().find((webhook) => webhook.payload.headers.subject === subject),
  );
  return [path, payload.envelope.rcpt_to, payload.plus_tag];
}

/** @param expected the result of `delivered` for this mailbox, at the second email at the latest */
async function becomes(to: string, expected: unknown) {
  const first = await delivered(to);
  expect(isDeepStrictEqual(first, expected) ? first : await delivered(to)).toEqual(expected);
}

test('create, change and delete apply to the next email', async () => {
  const mailbox = 'Info+Tag@eu.own.example';
  const change = async (id: string, body: object) =>
    expect((await way.api.ask('PATCH', `/v1/addresses/${id}`, { body })).status).toBe(200);
  const remove = async (id: string) =>
    expect((await way.api.ask('DELETE', `/v1/addresses/${id}`)).status).toBe(200);

  await becomes(mailbox, '550 5.1.1');
  const wildcard = await way.address('/wildcard', { domain: '*.own.example', local_part: '*' });
  await becomes(mailbox, ['/wildcard', [mailbox], 'Tag']);
  const catchAll = await way.address('/catch-all', { domain: 'eu.own.example', local_part: '*' });
  await becomes(mailbox, ['/catch-all', [mailbox], 'Tag']);
  const named = await way.address('/named', { domain: 'eu.own.example', local_part: 'INFO' });
  await becomes(mailbox, ['/named', [mailbox], 'Tag']);
  await change(named.id, { is_enabled: false });
  await becomes(mailbox, '550 5.2.1');
  await remove(named.id);
  await becomes(mailbox, ['/catch-all', [mailbox], 'Tag']);
  await way.address('/again', { domain: 'eu.own.example', local_part: 'info' });
  await becomes(mailbox, ['/again', [mailbox], 'Tag']);
  await becomes('info@eu.own.example', ['/again', ['info@eu.own.example'], null]);
  await remove(catchAll.id);
  await becomes('other@eu.own.example', ['/wildcard', ['other@eu.own.example'], null]);
  await remove(wildcard.id);
  await becomes('other@eu.own.example', '550 5.1.1');
});
