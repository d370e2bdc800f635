/** An account whose every field has the longest value that the API takes, without a place to break it. */
import { expect } from 'vitest';

import { makeCertificate } from '../../../services/adapters/tls/certificates.ts';
import type { DashboardTest } from './dashboard.ts';

const long = (chars: number): string => 'W'.repeat(chars);
const lower = (chars: number): string => 'w'.repeat(chars);
const DOMAIN = [lower(63), lower(63), lower(60), 'example'].join('.');
const SUBJECT = long(900);

const urlOf = (start: string): string => start.padEnd(2_048, 'w');

const LABELS = Object.fromEntries(
  Array.from({ length: 10 }, (_, n) => [`${n}${lower(62)}`, `${n}${lower(62)}`]),
);
const SENDERS = Array.from({ length: 5 }, (_, n) => `${n}${lower(60)}@${DOMAIN}`.slice(0, 254));
const WHEN = `subject == "${long(1_980)}"`;
const RULES = ['hold', 'drop', 'refuse'].map((action) => ({ name: long(64), when: WHEN, action }));
const TAGGED = {
  name: long(63),
  when: 'true',
  action: 'tag',
  tags: Array.from({ length: 5 }, (_, n) => `${n}${lower(31)}`),
};
const HOOK = {
  url: urlOf('https://hook.example.com/'),
  when: WHEN,
  timeout_ms: 10_000,
  on_error: 'accept',
};

/** @returns the screens that show it, by the name of their picture */
export async function createLongestValues({
  whole,
  sent,
}: DashboardTest): Promise<Record<string, string>> {
  const made = async (method: string, path: string, body: object): Promise<Made> => {
    const answer = await whole.call(method, path, body);
    expect([path, answer.status, answer.body]).toEqual([
      path,
      answer.status < 300 ? answer.status : 0,
      answer.body,
    ]);
    return answer.body as Made;
  };
  await made('PATCH', '/account', { name: long(100), company: long(100) });
  const bucket = await made('POST', '/account/buckets', {
    name: lower(63),
    endpoint: `https://${DOMAIN}`,
    bucket: lower(63),
    region: lower(40),
    prefix: `${lower(100)}/`.repeat(5),
    description: long(500),
    credentials: { access_key_id: long(256), secret_access_key: long(1_024) },
  });
  const list = await made('POST', '/lists', {
    name: lower(32),
    description: long(500),
    entries: SENDERS,
  });
  const domain = await made('POST', '/domains', { domain: DOMAIN });
  const notification = await made('POST', '/account/notifications', {
    url: urlOf('https://hooks.example.com/'),
    description: long(500),
  });
  await made('POST', '/account/members', { name: long(100), role: 'viewer' });
  await made('POST', '/account/tokens', {
    name: long(100),
    permissions: ['addresses:read'],
    labels: LABELS,
  });
  const address = await made('POST', '/addresses', {
    webhook_url: whole.receiver.url(`/${'w'.repeat(1_900)}`),
    local_part: lower(64),
    description: long(500),
    labels: LABELS,
    allowed_senders: null,
    allowed_attachments: {
      types: [`application/${lower(126)}`, 'text/plain', 'image/*'],
      max_bytes: 1_073_741_824,
    },
    rules: [TAGGED],
    hook: null,
  });
  const { cert, key } = await makeCertificate(['example.com']);
  const receivers = `/addresses/${address.id}/receivers`;
  for (const auth of [
    { headers: { [long(64)]: long(2_048) } },
    { basic: { username: long(255), password: long(1_024) } },
    {
      oauth2: {
        token_url: urlOf('https://id.example.com/'),
        client_id: long(256),
        client_secret: long(256),
        scope: long(1_024),
      },
    },
    { client_certificate: { certificate: cert, private_key: key } },
  ])
    await made('POST', receivers, {
      url: urlOf('https://hooks.example.com/'),
      description: long(500),
      when: WHEN,
      auth,
    });
  whole.receiver.answer('/longest', (count) =>
    count === 1 ? { status: 422, body: long(2_000) } : { status: 503, body: long(2_000) },
  );
  const plain = await whole.address('/longest', {
    rules: [TAGGED],
    payload: {
      attachments: 'inline',
      raw: true,
      extract: ['codes', 'links', 'markdown', 'hidden_text'],
    },
  });
  const content = {
    html: `<p>${long(300)} <a href="https://${DOMAIN}/${lower(500)}">${long(300)}</a></p>`,
    attachments: [{ filename: `${long(200)}.txt`, content: long(10) }],
  };
  const failed = await sent(plain, SUBJECT, 'failed', content);
  const retrying = await sent(plain, SUBJECT, 'retrying', content);
  const held = await whole.address('/held', {
    rules: [{ ...TAGGED }, { name: long(64), when: 'true', action: 'hold' }],
  });
  const holding = await sent(held, SUBJECT, 'held', content);
  await made('PATCH', `/addresses/${plain.id}`, {
    rules: RULES,
    hook: HOOK,
    description: long(500),
    labels: LABELS,
  });
  await made('PATCH', '/account', { settings: { rules: RULES } });
  const views = ['', '?view=headers', '?view=payload', '?view=raw', '?body=html'];
  return {
    address: `/addresses/${address.id}`,
    'address-plain': `/addresses/${plain.id}`,
    'address-rules': `/addresses/${plain.id}/rules`,
    list: `/lists/${list.id}`,
    bucket: `/buckets/${bucket.id}`,
    domain: `/domains/${domain.id}`,
    notification: `/notifications/${notification.id}`,
    ...Object.fromEntries(views.map((view, n) => [`email-failed-${n}`, `/mail/${failed}${view}`])),
    'email-retrying': `/mail/${retrying}`,
    'email-held': `/mail/${holding}`,
    'address-new': '/addresses?new=1',
    'bucket-new': '/buckets?new=1',
  };
}

type Made = { id: string };
