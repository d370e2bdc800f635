/** A browser with the dashboard open: it sends cookies, and headers as a browser sets them. */
import { request } from 'node:http';

import type { Answer, Ask, TestApi } from '../../support/start-api.ts';

/** Headers of a request that the dashboard's own page makes. */
export const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin', 'inlet-dashboard': '1' };

export type Dashboard = {
  /** The Cookie header. */
  cookie: string;
  session: Record<string, unknown> & { session_id: string };
  ask: (method: string, path: string, ask?: Ask) => Promise<Answer>;
};

export const cookieIn = (answer: Answer): string =>
  answer.headers.get('set-cookie')?.split(';')[0] ?? '';

/** Signs in with a link of `token`, or with the credential in `body`. */
export async function openDashboard(
  api: TestApi,
  { token = api.token, link = {}, body }: { token?: string; link?: object; body?: object } = {},
): Promise<Dashboard> {
  const credential = body ?? { code: await newCode(api, token, link) };
  const opened = await api.ask('POST', '/v1/sessions', {
    token: null,
    body: credential,
    headers: SAME_ORIGIN,
  });
  if (opened.status !== 201) throw new Error(`sign in: ${JSON.stringify(opened.body)}`);
  const cookie = cookieIn(opened);
  return {
    cookie,
    session: opened.body as Dashboard['session'],
    ask: (method, path, { headers, ...ask } = {}) =>
      api.ask(method, path, {
        token: null,
        headers: { cookie, ...SAME_ORIGIN, ...headers },
        ...ask,
      }),
  };
}

export async function newCode(api: TestApi, token = api.token, link: object = {}): Promise<string> {
  const { status, body } = await api.ask('POST', '/v1/account/dashboard-links', {
    token,
    body: link,
  });
  if (status !== 201) throw new Error(`link: ${JSON.stringify(body)}`);
  return new URL(String(body.url)).hash.replace('#code=', '');
}

/** Its status. Unlike fetch, it sends Host and Sec-Fetch-Mode as given. */
export function statusOf(
  url: string,
  { method = 'GET', headers, body = '' }: { method?: string; headers: object; body?: string },
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers: { ...headers } }, (response) =>
      resolve(response.resume().statusCode),
    )
      .once('error', reject)
      .end(body);
  });
}
