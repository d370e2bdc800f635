/**
 * Part of isolation: the latency of all other tenants while, and after, a tenant with 60 addresses
 * whose receivers hang gets 720 emails as fast as they are accepted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

import { createAccounts } from '../../../services/adapters/mongo/account/accounts.ts';
import { createTokens } from '../../../services/adapters/mongo/token/tokens.ts';
import { WebhookConfig } from '../../../services/platform/settings/webhooks.ts';
import { ensureTls } from '../../../services/standalone/keys.ts';
import { createApiClient } from '../../../services/standalone/round-trip/api-client.ts';
import type { Bed, System } from '../bed.ts';
import type { HangingRequest } from '../hanging-receiver-process.ts';
import { startHelper } from '../helper-process.ts';
import type { InletInside } from '../inlet-inside.ts';
import { takeSendIds } from '../measure.ts';
import { CONNECTIONS, p99, type Paced, paced, pacedTable, row } from '../paced.ts';
import type { LoadRequest, LoadResult } from '../load-process.ts';
import { sum } from '../statistics.ts';
import { figure } from '../table.ts';

const ROUNDS = 3;
const CREATED_AT_ONCE = 8;
const ADDRESSES = 60;
const BURST_MAILS = 720;
const OTHERS = 20;
const OTHERS_PER_SECOND = 50;
const OTHERS_SECONDS = 6; // the burst, and what follows it
const P99_GOAL_MS = 1_000;
const AFTER_TIMEOUT_MS = 3_000;

export async function besideBursts(
  bed: Bed,
  system: System,
  inside: InletInside,
  report: (line: string) => void,
): Promise<{ text: string; figures: unknown }> {
  await using receiver = startHelper<HangingRequest>(
    new URL('../hanging-receiver-process.ts', import.meta.url),
  );
  await using load = startHelper<LoadRequest>(new URL('../load-process.ts', import.meta.url));
  const port = await receiver.ask<number>({ kind: 'start', ...(await ensureTls(bed.dataDir)) });
  const { WEBHOOK_TIMEOUT: timeoutMs } = z.object(WebhookConfig).parse(process.env);
  /** To addresses that no process has in its cache. */
  const others = async (): Promise<Paced> => {
    const urls = Array.from({ length: OTHERS }, () => bed.receiverUrl);
    const recipients = (await bed.addAddresses(urls)).map(({ address }) => address);
    return paced(
      bed,
      { ...system, recipients },
      { recipients, mails: OTHERS_PER_SECOND * OTHERS_SECONDS, perSecond: OTHERS_PER_SECOND },
    );
  };
  const [alone, beside]: [Paced[], Paced[]] = [[], []];
  for (let round = 1; round <= ROUNDS; round++) {
    report(`bursts, round ${round} of ${ROUNDS}: the others at ${OTHERS_PER_SECOND}/s`);
    alone.push(await others());
    report(`${BURST_MAILS} emails in a burst to ${ADDRESSES} addresses that hang`);
    const tenant = await newTenant(inside, `burst-${round}`);
    const recipients = await tenant.addresses(
      Array.from({ length: ADDRESSES }, () => `https://localhost:${port}/`),
    );
    const burst = load.ask<LoadResult>({
      ports: [system.port],
      kind: '2k',
      recipients,
      connections: CONNECTIONS,
      mails: BURST_MAILS,
      seconds: 60,
      firstId: takeSendIds(BURST_MAILS),
    });
    beside.push(await others());
    await burst;
    await sleep(timeoutMs + AFTER_TIMEOUT_MS); // attempts in flight end and go to the RETRY lane
    await inside.purgeRetries('*', tenant.id);
  }

  const lost = sum(beside.map((round) => round.lost));
  const isReached = p99(beside) <= P99_GOAL_MS && lost === 0;
  const text = [
    pacedTable('all other tenants', [row('alone', alone), row('with bursts', beside)]),
    `slowest with bursts: ${figure(Math.max(...beside.flatMap(({ delays }) => delays)))} ms ` +
      `(goal: p99 at most ${P99_GOAL_MS} ms, none lost: ${isReached ? 'reached' : 'missed'})`,
  ].join('\n');
  return { text, figures: { alone, beside } };
}

/** An account whose plan refuses no mail. */
export async function newTenant(inside: InletInside, name: string) {
  const accounts = createAccounts(inside.mongo.db);
  const { id } = await accounts.create({ email: `${name}@example.com`, name });
  await accounts.setPlan(id, 'business');
  const { token } = await createTokens(inside.mongo.db).issue({
    accountId: id,
    name,
    environment: 'live',
  });
  const api = createApiClient((await inside.state()).api_url, token);
  const addresses = async (
    webhookUrls: readonly string[],
    fields: object = {},
  ): Promise<string[]> => {
    const made: string[] = [];
    for (let i = 0; i < webhookUrls.length; i += CREATED_AT_ONCE) {
      const answers = await Promise.all(
        webhookUrls
          .slice(i, i + CREATED_AT_ONCE)
          .map((webhook_url) => api('POST', '/addresses', { webhook_url, ...fields })),
      );
      for (const { status, body } of answers) {
        if (status !== 201) throw new Error(`the API responded with ${status} to a new address`);
        made.push((body as { address: string }).address);
      }
    }
    return made;
  };
  return { id, token, addresses };
}
