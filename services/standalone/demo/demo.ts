/**
 * `npm start -- --demo`: fills the account with addresses whose receivers behave in every way, and
 * with emails to them, for a look at the dashboard. A second start with it adds nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import type { ApiAnswer, ApiClient } from '../round-trip/api-client.ts';
import { sendMail } from '../../adapters/smtp/mail-client.ts';
import type { StandaloneState } from '../state/state.ts';
import { DEMO_ADDRESSES, DEMO_ANSWERS, type DemoAddress, demoMails } from './demo-mails.ts';

const MISSING_HOST = 'https://hooks.does-not-exist.invalid/inbound';
/** Below it, the demo receiver behaves as the address of the demo says. */
const PATH = '/demo/';
/** The first address of the demo: where it is, the rest is, too. */
const MARK = DEMO_ADDRESSES[0]?.description ?? '';

const Created = z.object({ id: z.string(), address: z.string() });
const Listed = z.object({ data: z.array(z.object({ id: z.string() })) });

/** How the demo receiver responds at a path; undefined outside of the demo. */
export function demoAnswer(path: string): { status: number; afterMs?: number } | undefined {
  const name = path.startsWith(PATH) ? path.slice(PATH.length) : '';
  return Object.entries(DEMO_ANSWERS).find(([answer]) => answer === name)?.[1];
}

/** @returns the number of emails that it sent; 0 when the account has the demo already */
export async function fillDemo(state: StandaloneState, api: ApiClient): Promise<number> {
  const query = new URLSearchParams({ search: MARK, limit: '1' });
  const present = Listed.parse(await answered(api, 'GET', `/addresses?${String(query)}`));
  if (present.data.length > 0) return 0;
  const created = new Map<string, z.infer<typeof Created>>();
  for (const one of DEMO_ADDRESSES) created.set(one.name, await create(one, state, api));
  const mails = demoMails();
  const gateway = { host: state.smtp_host, port: state.smtp_port, caFile: state.smtp_ca_file };
  for (const mail of mails)
    await sendMail(gateway, { ...mail, to: created.get(mail.to)?.address ?? state.address });
  for (const { name, isDisabled } of DEMO_ADDRESSES)
    if (isDisabled)
      await answered(api, 'PATCH', `/addresses/${created.get(name)?.id}`, { is_enabled: false });
  return mails.length;
}

async function create(
  { name, description, answer, settings }: DemoAddress,
  { receiver_url }: StandaloneState,
  api: ApiClient,
): Promise<z.infer<typeof Created>> {
  const webhook_url =
    answer === 'missing' ? MISSING_HOST : new URL(`${PATH}${answer}`, receiver_url).href;
  const body = { webhook_url, description, ...settings };
  const named = await patient(api, 'POST', '/addresses', { ...body, local_part: name });
  // someone has the name already
  const made = named.status === 409 ? await answered(api, 'POST', '/addresses', body) : named.body;
  return Created.parse(made);
}

/** Repeats a call that the rate limit refuses, for two minutes. */
async function patient(api: ApiClient, ...request: Parameters<ApiClient>): Promise<ApiAnswer> {
  for (let tries = 1; ; tries++) {
    const answer = await api(...request);
    if (answer.status !== 429 || tries === 24) return answer;
    await sleep(5_000);
  }
}

async function answered(api: ApiClient, ...request: Parameters<ApiClient>): Promise<unknown> {
  const { status, body } = await patient(api, ...request);
  if (status < 200 || status > 299)
    throw new Error(
      `${request[0]} ${request[1]}: the API responded with ${status} ${JSON.stringify(body)}`,
    );
  return body;
}
