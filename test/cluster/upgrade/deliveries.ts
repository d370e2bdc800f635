/** Deliveries and usage of the account, read from the API in the sender's pod. */
import type { Namespace } from '../kubectl.ts';

/** Some of the fields of `GET /deliveries/{event_id}`. */
export type Delivery = {
  event_id: string;
  status: string;
  attempts: object[];
};
/** The payload is without its `retry_count`, which changes with each attempt. */
export type Recorded = { delivery: Delivery; payload: object };

type Listed = { event_id: string; attempt_count: number };

export type AccountReader = {
  /** Deliveries with their attempts, and their payloads. */
  read(ids: readonly string[]): Promise<Recorded[]>;
  /** The deliveries that a query finds, newest first, and how many there are in all. */
  list(query: string): Promise<{ found: Listed[]; total: number }>;
  countedEmails(): Promise<number>;
};

/** `api(path)` requests a path of the API. It waits where the rate limit asks for it. */
const apiOf = (release: string) => `async function api(path) {
  const headers = { authorization: 'Bearer ' + process.env.TOKEN };
  for (;;) {
    const response = await fetch('http://${release}-api/v1' + path, { headers });
    if (response.ok) return response.json();
    if (response.status !== 429) throw new Error(path + ': ' + response.status + ' ' + (await response.text()));
    await new Promise((resume) => setTimeout(resume, 1000 * Number(response.headers.get('retry-after'))));
  }
}`;

export function createAccountReader(namespace: Namespace, release: string): AccountReader {
  const ask = async <T>(script: string): Promise<T> =>
    inSender(
      namespace,
      `${apiOf(release)} (${script})().then((read) => console.log(JSON.stringify(read)));`,
    );
  return {
    read: (ids) =>
      ask(`() => Promise.all(${JSON.stringify(ids)}.map(async (id) => {
        const delivery = await api('/deliveries/' + id);
        const { metadata: { retry_count, ...metadata }, ...payload } = await api('/deliveries/' + id + '/payload');
        return { delivery, payload: { ...payload, metadata } };
      }))`),
    list: (query) =>
      ask(`() => api('/deliveries?${query}').then(({ data, pagination }) => ({
        found: data.map(({ event_id, attempt_count }) => ({ event_id, attempt_count })),
        total: pagination.total,
      }))`),
    countedEmails: async () =>
      (await ask<{ emails: { total: number } }>(`() => api('/usage')`)).emails.total,
  };
}

const CHANGED_BY_ATTEMPTS = new Set(['attempts', 'attempt_count', 'next_attempt_at', 'updated_at']);

/**
 * The part of `now` that must be as it was in `before`: the payload, the attempts until then, and
 * the fields of the delivery that the earlier version had. Further attempts of an email that waits
 * for a retry change some.
 */
export function keptFields(
  { delivery: { status, attempts } }: Recorded,
  now: Recorded | undefined,
  { delivery: earlier }: Recorded,
): object {
  const names = Object.keys(earlier);
  const ofAttempt = Object.keys(earlier.attempts[0] ?? {});
  const kept = names.filter((name) => status !== 'retrying' || !CHANGED_BY_ATTEMPTS.has(name));
  return {
    ...only(kept, now?.delivery ?? {}),
    attempts: now?.delivery.attempts
      .slice(0, attempts.length)
      .map((attempt) => only(ofAttempt, attempt)),
    payload: now?.payload,
  };
}

const only = (names: readonly string[], of: object): object =>
  Object.fromEntries(Object.entries(of).filter(([name]) => names.includes(name)));

/** Sends emails from the sender's pod, all at the same time. */
export async function sendMails(
  namespace: Namespace,
  host: string,
  to: string,
  count: number,
): Promise<void> {
  await inSender(
    namespace,
    `const transport = require('/app/node_modules/nodemailer').createTransport(
      { host: '${host}', port: 25, tls: { rejectUnauthorized: false } });
    Promise.all(Array.from({ length: ${count} }, (_, i) => transport.sendMail({
      from: 'load@example.com', to: '${to}', subject: 'waits ' + i, text: 'waits' })))
      .then((sent) => console.log(sent.length));`,
  );
}

/** Runs JavaScript in the sender's pod. It prints JSON. */
const inSender = async <T>(namespace: Namespace, script: string): Promise<T> =>
  JSON.parse(await namespace.run('exec', 'pod/sender', '--', 'node', '-e', script)) as T;
