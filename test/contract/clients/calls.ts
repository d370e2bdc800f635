/**
 * Calls every operation with a generated client. Copied next to the generated types, then
 * type-checked and run: an exception or a type error fails the test.
 */
import createClient from 'openapi-fetch';

import type { components, paths } from './inlet.ts';

const { INLET_URL: baseUrl = '', INLET_TOKEN = '', FACTS = '{}' } = process.env;
const {
  webhookUrl,
  eventId,
  addressId,
  recipient,
  sleeping,
  held,
  refused,
  invoiceId,
  notified,
  link,
} = JSON.parse(FACTS) as {
  webhookUrl: string;
  eventId: string;
  addressId: string;
  recipient: string;
  sleeping: string[];
  held: string;
  refused: string;
  invoiceId: string;
  notified: { notification_id: string; event_id: string };
  link: Record<'raw' | 'attachment', { expires: number; signature: string }>;
};

const headers = { Authorization: `Bearer ${INLET_TOKEN}` };
const inlet = createClient<paths>({ baseUrl, headers });

/** The data of a success. */
async function ok<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (data === undefined)
    throw new Error(`${response.status} ${response.url} ${JSON.stringify(error)}`);
  return data;
}

function same(actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${String(actual)} is not ${String(expected)}`);
}

const body = { webhook_url: webhookUrl, description: 'TypeScript' };
const address: components['schemas']['Address'] = await ok(inlet.POST('/addresses', { body }));
const params = { path: { address_id: address.id } };
const { data } = await ok(inlet.GET('/addresses', { params: { query: { limit: 5 } } }));
same(
  data.some(({ id }) => id === address.id),
  true,
);
const named = { ids: address.id, is_failing: false };
same((await ok(inlet.GET('/addresses', { params: { query: named } }))).data[0]?.id, address.id);
same((await ok(inlet.GET('/addresses/{address_id}', { params }))).webhook_url, webhookUrl);
const change = { is_enabled: false };
same(
  (await ok(inlet.PATCH('/addresses/{address_id}', { params, body: change }))).is_enabled,
  false,
);
const rotated = await ok(inlet.POST('/addresses/{address_id}/rotate-secret', { params }));
same(rotated.webhook_secret === address.webhook_secret, false);
const revealed = await ok(inlet.GET('/addresses/{address_id}/secret', { params }));
same(revealed.webhook_secret, rotated.webhook_secret);
same((await ok(inlet.POST('/addresses/{address_id}/test', { params }))).outcome, 'accepted');
await ok(inlet.PATCH('/addresses/{address_id}', { params, body: { reply_addresses: true } }));
const { reply_key: replyKey } = await ok(
  inlet.GET('/addresses/{address_id}/reply-key', { params }),
);
const ticket = { reference: 'ticket-42', sender: 'ann@sender.example' };
const replies = inlet.POST('/addresses/{address_id}/reply-addresses', { params, body: ticket });
same((await ok(replies)).sender, ticket.sender);
const overlap = { overlap_hours: 720 };
const rekeyed = inlet.POST('/addresses/{address_id}/rotate-reply-key', { params, body: overlap });
same((await ok(rekeyed)).reply_key === replyKey, false);
same((await ok(inlet.DELETE('/addresses/{address_id}', { params }))).deleted, true);

const claim = { domain: 'typescript.example' };
const domain = await ok(inlet.POST('/domains', { body: claim }));
const ofDomain = { params: { path: { domain_id: domain.id } } };
await ok(inlet.GET('/domains', { params: { query: { status: 'pending' as const } } }));
same((await ok(inlet.GET('/domains/{domain_id}', ofDomain))).domain, claim.domain);
const looked = await ok(inlet.POST('/domains/{domain_id}/verify', ofDomain));
same(looked.is_verified, false);
same(looked.verification.found.length, 0);
const requested = { ...ofDomain, body: { mta_sts: 'testing' as const } };
same((await ok(inlet.PATCH('/domains/{domain_id}', requested))).mta_sts, 'testing');
await ok(inlet.DELETE('/domains/{domain_id}', ofDomain));

const ofEvent = { params: { path: { event_id: eventId } } };
const query = { start_date: '2020-01-01', status: 'delivered' } as const;
same((await ok(inlet.GET('/deliveries', { params: { query } }))).data[0]?.event_id, eventId);
const search = { subject: 'no such word', verdict: 'spam,spf=fail' };
same((await ok(inlet.GET('/deliveries', { params: { query: search } }))).data.length, 0);
same((await ok(inlet.GET('/deliveries/{event_id}', ofEvent))).attempts[0]?.outcome, 'accepted');
const payload = await ok(inlet.GET('/deliveries/{event_id}/payload', ofEvent));
same(payload.headers.subject, 'for clients');
const shown = await ok(inlet.GET('/deliveries/{event_id}/email', ofEvent));
same(shown.content.has_html, true);
const tried = { when: 'subject == "for clients"', event_id: eventId };
same((await ok(inlet.POST('/expressions/test', { body: tried }))).result, true);
const page = await ok(
  inlet.GET('/deliveries/{event_id}/html', { ...ofEvent, parseAs: 'text' as const }),
);
same(page.includes('<p>hello</p>'), true);
const signed = await ok(inlet.POST('/deliveries/{event_id}/signature', ofEvent));
same(signed.headers['webhook-id'], eventId);
const [toRetry = '', toCancel = ''] = sleeping;
const newest = await ok(
  inlet.GET('/deliveries/newest', { params: { query: { address_ids: address.id } } }),
);
same(newest.data.length <= 1, true);
const due = await ok(inlet.GET('/deliveries/due'));
await ok(inlet.GET('/deliveries/replay'));
same(
  due.data.some(({ event_id: id }) => id === toRetry),
  true,
);
const ofRetry = { params: { path: { event_id: toRetry } } };
same((await ok(inlet.POST('/deliveries/{event_id}/retry', ofRetry))).status, 'retrying');
const ofCancel = { params: { path: { event_id: toCancel } } };
same((await ok(inlet.POST('/deliveries/{event_id}/cancel', ofCancel))).outcome, 'canceled');
const erased = await ok(inlet.DELETE('/deliveries/{event_id}/content', ofCancel));
same(erased.subject, null);
await ok(inlet.POST('/deliveries/{event_id}/replay', ofEvent));
const ofHeld = { params: { path: { event_id: held } } };
same((await ok(inlet.GET('/deliveries/{event_id}', ofHeld))).ruling?.action, 'hold');
same((await ok(inlet.POST('/deliveries/{event_id}/drop', ofHeld))).status, 'dropped');
same((await ok(inlet.POST('/deliveries/{event_id}/release', ofHeld))).status, 'pending');
const ofRefused = { params: { path: { refusal_id: refused } } };
const ofSender = { params: { query: { sender: 'eve@sender.example' } } };
same((await ok(inlet.GET('/refusals', ofSender))).data[0]?.id, refused);
same((await ok(inlet.GET('/refusals/count', ofSender))).count, 1);
same((await ok(inlet.GET('/refusals/{refusal_id}', ofRefused))).mail_from, 'eve@sender.example');
await ok(inlet.DELETE('/refusals/{refusal_id}', ofRefused));
same((await ok(inlet.DELETE('/refusals', ofSender))).deleted, 0);
const rules = [{ name: 'named', when: 'sender in lists.typescript', action: 'hold' as const }];
const list = await ok(
  inlet.POST('/lists', { body: { name: 'typescript', entries: ['a.example'] } }),
);
const ofList = { params: { path: { list_id: list.id } } };
const posted = { email: 'From: ann@a.example\r\n\r\n', rules };
same((await ok(inlet.POST('/rules/test', { body: posted }))).rules[0]?.result, 'not_matched');
same((await ok(inlet.GET('/lists'))).data.length > 0, true);
same((await ok(inlet.GET('/lists/{list_id}', ofList))).entry_count, 1);
same(
  (await ok(inlet.PATCH('/lists/{list_id}', { ...ofList, body: { add: ['b.example'] } })))
    .entry_count,
  2,
);
const entries = await ok(
  inlet.GET('/lists/{list_id}/entries', { ...ofList, parseAs: 'text' as const }),
);
same(entries, 'a.example\nb.example\n');
same((await ok(inlet.DELETE('/lists/{list_id}', ofList))).deleted, true);
const none = { status: 'failed', start_date: '2020-01-01', end_date: '2020-01-01' } as const;
const searched = { ...none, sender: '@sender.example', subject: 'for clients', verdict: 'spam' };
same((await ok(inlet.POST('/deliveries/replay', { body: none }))).queued, 0);
same((await ok(inlet.POST('/deliveries/replay', { body: searched }))).queued, 0);

const raw = { path: { event_id: eventId }, query: link.raw };
const parseAs = 'text';
const email = await ok(inlet.GET('/files/{event_id}/raw', { params: raw, parseAs }));
same(email.includes('Subject: for clients'), true);
const file = { path: { event_id: eventId, index: '0' }, query: link.attachment };
const path = '/files/{event_id}/attachments/{index}';
same(await ok(inlet.GET(path, { params: file, parseAs })), 'one file');

same((await ok(inlet.GET('/usage'))).period.current, true);
const daily = await ok(inlet.GET('/usage/daily'));
same(daily.data.length, 30);
same(daily.total.received > 0, true);
same((await ok(inlet.GET('/usage/events'))).data.length > 0, true);
same((await ok(inlet.GET('/billing'))).subscription.status, 'active');
const [listed] = (await ok(inlet.GET('/billing/history'))).data;
same(listed?.id, invoiceId);
const invoice = { path: { invoice_id: invoiceId } };
const pdf = await ok(
  inlet.GET('/billing/invoices/{invoice_id}/pdf', { params: invoice, parseAs: 'blob' }),
);
same((await (pdf as unknown as Blob).text()).startsWith('%PDF'), true);
const pdfLink = new URL(listed?.invoice_pdf ?? '').searchParams;
const linked = {
  ...invoice,
  query: {
    expires: Number(pdfLink.get('expires')),
    signature: pdfLink.get('signature') ?? '',
  },
};
const linkedPdf = await ok(
  inlet.GET('/invoice-files/{invoice_id}', { params: linked, parseAs: 'blob' }),
);
same((await (linkedPdf as unknown as Blob).text()).startsWith('%PDF'), true);

const settings = { timezone: 'Europe/Berlin' };
await ok(inlet.PATCH('/account', { body: { settings } }));
same((await ok(inlet.GET('/account'))).settings.timezone, settings.timezone);
const newToken = { name: 'generated', permissions: ['usage:read' as const] };
const token = await ok(inlet.POST('/account/tokens', { body: newToken }));
same((await ok(inlet.GET('/account/tokens'))).data[0]?.prefix, token.prefix);
await ok(inlet.DELETE('/account/tokens/{token_id}', { params: { path: { token_id: token.id } } }));

const invited = { name: 'generated', role: 'viewer' as const };
const member = await ok(inlet.POST('/account/members', { body: invited }));
same((await ok(inlet.GET('/account/members'))).data[0]?.id, member.id);
const ofMember = { params: { path: { member_id: member.id } } };
const promoted = { ...ofMember, body: { role: 'developer' as const } };
same((await ok(inlet.PATCH('/account/members/{member_id}', promoted))).role, 'developer');
const signInLink = await ok(
  inlet.POST('/account/members/{member_id}/links', { ...ofMember, body: {} }),
);
same(signInLink.url.includes('#code='), true);
same((await ok(inlet.DELETE('/account/members/{member_id}', ofMember))).deleted, true);

const ofAddress = { params: { path: { address_id: addressId } } };
const receivers = '/addresses/{address_id}/receivers' as const;
const newReceiver = { ...ofAddress, body: { url: webhookUrl } };
const receiver = await ok(inlet.POST(receivers, newReceiver));
const ofReceiver = { params: { path: { address_id: addressId, receiver_id: receiver.id } } };
const one = `${receivers}/{receiver_id}` as const;
const all = (await ok(inlet.GET(receivers, ofAddress))).data.map(({ id }) => id);
same(all[0] === addressId && all.includes(receiver.id), true);
same((await ok(inlet.GET(one, ofReceiver))).url, webhookUrl);
const off = { ...ofReceiver, body: { is_enabled: false } };
same((await ok(inlet.PATCH(one, off))).is_enabled, false);
const itsSecret = await ok(inlet.POST(`${one}/rotate-secret`, ofReceiver));
same((await ok(inlet.GET(`${one}/secret`, ofReceiver))).webhook_secret, itsSecret.webhook_secret);
same((await ok(inlet.POST(`${one}/test`, ofReceiver))).outcome, 'accepted');
const keyed = { ...ofReceiver, body: { signing: 'ed25519' as const } };
same((await ok(inlet.PATCH(one, keyed))).signing, 'ed25519');
const ofKeys = { params: { path: { receiver_id: receiver.id } } };
same((await ok(inlet.GET('/receivers/{receiver_id}/jwks.json', ofKeys))).keys.length, 1);
const pull = { ...ofReceiver, body: { mode: 'pull' as const } };
same((await ok(inlet.PATCH(one, pull))).mode, 'pull');
const atOnce = { params: { ...ofReceiver.params, query: { wait: 0 } } };
same((await ok(inlet.GET(`${one}/next`, atOnce))).data.length, 0);
const leases = { ...ofReceiver, body: { lease_ids: [`${eventId}.none`] } };
same((await ok(inlet.POST(`${one}/renew`, leases))).count, 0);
same((await ok(inlet.POST(`${one}/nack`, leases))).count, 0);
same((await ok(inlet.POST(`${one}/ack`, leases))).lost.length + 1 > 0, true);
same((await ok(inlet.DELETE(one, ofReceiver))).deleted, true);
same((await ok(inlet.GET('/deliveries/{event_id}/receivers', ofEvent))).data.length, 1);

const subscription = { url: webhookUrl, types: ['token.created' as const] };
const notification = await ok(inlet.POST('/account/notifications', { body: subscription }));
const ofNotification = { params: { path: { notification_id: notification.id } } };
same((await ok(inlet.GET('/account/notifications'))).data[0]?.id, notification.id);
const of = '/account/notifications/{notification_id}' as const;
same((await ok(inlet.GET(of, ofNotification))).url, webhookUrl);
const disabled = { ...ofNotification, body: { is_enabled: false } };
same((await ok(inlet.PATCH(of, disabled))).is_enabled, false);
const secret = await ok(inlet.POST(`${of}/rotate-secret`, ofNotification));
same((await ok(inlet.GET(`${of}/secret`, ofNotification))).webhook_secret, secret.webhook_secret);
same((await ok(inlet.POST(`${of}/test`, ofNotification))).outcome, 'accepted');
same((await ok(inlet.GET(`${of}/deliveries`, ofNotification))).pagination.total, 0);
const sent = { params: { path: notified } };
same((await ok(inlet.GET(`${of}/deliveries/{event_id}`, sent))).attempts.length, 1);
same((await ok(inlet.DELETE(of, ofNotification))).deleted, true);

const newBucket = {
  name: 'ts-files',
  endpoint: 'https://s3.example.com',
  bucket: 'example-mail',
  credentials: { access_key_id: 'id', secret_access_key: 'secret' },
};
const bucket = await ok(inlet.POST('/account/buckets', { body: newBucket }));
const ofBucket = { params: { path: { bucket_id: bucket.id } } };
const thatBucket = '/account/buckets/{bucket_id}' as const;
same((await ok(inlet.GET('/account/buckets'))).data[0]?.id, bucket.id);
same((await ok(inlet.GET(thatBucket, ofBucket))).access_key_id, 'id');
same((await ok(inlet.PATCH(thatBucket, { ...ofBucket, body: { region: 'auto' } }))).region, 'auto');
same((await ok(inlet.POST(`${thatBucket}/test`, ofBucket))).ok, false);
same((await ok(inlet.DELETE(thatBucket, ofBucket))).deleted, true);

const opened = await ok(
  inlet.POST('/account/dashboard-links', { body: { expires_in_seconds: 60 } }),
);
const code = new URL(opened.url).hash.replace('#code=', '');
const signedIn = await inlet.POST('/sessions', { body: { code } });
const session = {
  cookie: signedIn.response.headers.get('set-cookie')?.split(';')[0] ?? '',
  'sec-fetch-site': 'same-origin',
  'inlet-dashboard': '1',
};
const dashboard = createClient<paths>({ baseUrl, headers: session });
const current = await ok(dashboard.GET('/sessions/current'));
same(current.session_id, signedIn.data?.session_id);
same((await ok(inlet.GET('/sessions'))).data[0]?.session_id, current.session_id);
await ok(dashboard.DELETE('/sessions/current'));
const second = await ok(inlet.POST('/sessions', { body: { token: INLET_TOKEN } }));
const ofSession = { params: { path: { session_id: second.session_id } } };
same((await ok(inlet.DELETE('/sessions/{session_id}', ofSession))).deleted, true);

same((await ok(inlet.GET('/sessions/oidc'))).enabled, true);

const submitted = await ok(
  inlet.POST('/intake', {
    params: { header: { 'Svc-Rcpt-To': recipient, 'Svc-Mail-From': 'ann@sender.example' } },
    headers: { 'Content-Type': 'message/rfc822' },
    body: 'Subject: submitted\r\n\r\nx\r\n',
    bodySerializer: (mail) => mail,
  }),
);
same(submitted.recipients[0]?.result, 'accepted');

const stop = new AbortController();
const stream = await inlet.GET('/stream', { parseAs: 'stream', signal: stop.signal });
same(stream.response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
stop.abort();
const awaited = { address_id: addressId, since: '2020-01-01', timeout: 5 };
same((await ok(inlet.GET('/deliveries/wait', { params: { query: awaited } }))).event_id, eventId);

const { error } = await inlet.GET('/addresses/{address_id}', { params });
same(error?.error, 'not_found');
