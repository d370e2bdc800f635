/**
 * Part of isolation: the latency of all other tenants while one tenant, with 200 addresses whose
 * receivers hang, 200 that respond after 90 % of the timeout and a new address every second, gets
 * half of all mail.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

import { createAccounts } from '../../../services/adapters/mongo/account/accounts.ts';
import { createTokens } from '../../../services/adapters/mongo/token/tokens.ts';
import { WebhookConfig } from '../../../services/platform/settings/webhooks.ts';
import { createApiClient } from '../../../services/standalone/round-trip/api-client.ts';
import { ensureTls } from '../../../services/standalone/keys.ts';
import type { Bed, System } from '../bed.ts';
import type { HangingRequest } from '../hanging-receiver-process.ts';
import { startHelper } from '../helper-process.ts';
import type { InletInside } from '../inlet-inside.ts';
import { takeSendIds } from '../measure.ts';
import type { Options } from '../options.ts';
import { CONNECTIONS, p99, type Paced, paced, pacedTable, row } from '../paced.ts';
import { sum } from '../statistics.ts';
import { figure } from '../table.ts';

const ROUNDS = 2; // alternating, so that noise affects both
const SLOW_EACH = 200;
const FIRST_MAILS_EACH = 2;
const RATIO_GOAL = 1.5;
const P99_GOAL_MS = 500;
const AFTER_TIMEOUT_MS = 3_000;
const CREATED_AT_ONCE = 8;

export async function slowTenant(
  bed: Bed,
  system: System,
  inside: InletInside,
  { rate, 'paced-mails': mails }: Options,
  report: (line: string) => void,
): Promise<{ text: string; figures: unknown }> {
  await using receiver = startHelper<HangingRequest>(
    new URL('../hanging-receiver-process.ts', import.meta.url),
  );
  const port = await receiver.ask<number>({ kind: 'start', ...(await ensureTls(bed.dataDir)) });
  const { WEBHOOK_TIMEOUT: timeoutMs } = z.object(WebhookConfig).parse(process.env);
  const responds = `https://localhost:${port}/?afterMs=0`;
  const hangs = `https://localhost:${port}/`;
  const slow = `${hangs}?afterMs=${Math.round(timeoutMs * 0.9)}`;
  const [alone, besideFast, beside]: [Paced[], Paced[], Paced[]] = [[], [], []];
  const perRound = Math.round(mails / ROUNDS);

  /** The others, while a new tenant with receivers of two kinds gets as much mail. */
  const withTenant = async (name: string, kinds: [string, string]): Promise<Paced> => {
    const tenant = await newTenant(inside, name);
    const old = await tenant.addresses(Array.from({ length: SLOW_EACH }, () => kinds).flat());
    const seconds = Math.ceil(perRound / rate);
    const fresh = await tenant.addresses(Array.from({ length: seconds }, () => kinds[0]));
    const first = old.length * FIRST_MAILS_EACH;
    await bed.load({
      ports: [system.port],
      kind: '2k',
      recipients: old,
      connections: CONNECTIONS,
      mails: first,
      seconds: 60,
      firstId: takeSendIds(first),
    });
    const recipients = Array.from({ length: perRound }, (_, i) => {
      if (i % 2 === 0) return system.recipients[(i / 2) % system.recipients.length] ?? '';
      const isForNewest = i % 10 === 1;
      return (isForNewest ? fresh[Math.floor(i / rate)] : old[(i >> 1) % old.length]) ?? '';
    });
    const measured = await paced(bed, system, { recipients, mails: perRound, perSecond: rate });
    await inside.purgeRetries('*', tenant.id);
    return measured;
  };

  for (let round = 1; round <= ROUNDS; round++) {
    report(`slow tenant, round ${round} of ${ROUNDS}: the others alone at ${rate / 2}/s`);
    alone.push(
      await paced(bed, system, {
        recipients: system.recipients,
        mails: Math.round(perRound / 2),
        perSecond: rate / 2,
      }),
    );
    report(`a tenant with ${2 * SLOW_EACH} addresses that respond gets half of ${rate}/s`);
    besideFast.push(await withTenant(`fast-${round}`, [responds, responds]));
    report(`a tenant with ${2 * SLOW_EACH} slow addresses gets half of ${rate}/s`);
    beside.push(await withTenant(`slow-${round}`, [hangs, slow]));
    await sleep(timeoutMs + AFTER_TIMEOUT_MS); // attempts in flight end and go to the RETRY lane
    await inside.purgeRetries('*');
  }

  const ratio = p99(beside) / p99(alone);
  const lost = sum(beside.map((round) => round.lost));
  const isReached = ratio <= RATIO_GOAL && p99(beside) <= P99_GOAL_MS && lost === 0;
  const attempts = await receiver.ask<number>({ kind: 'count' });
  const text = [
    pacedTable('all other tenants', [
      row('alone', alone),
      row('with a fast tenant', besideFast),
      row('with the slow tenant', beside),
    ]),
    `p99 with the fast tenant ÷ alone: ${figure(p99(besideFast) / p99(alone))}`,
    `p99 with the slow tenant ÷ alone: ${figure(ratio)} ` +
      `(goal: at most ${RATIO_GOAL}, p99 at most ${P99_GOAL_MS} ms, none lost: ` +
      `${isReached ? 'reached' : 'missed'}); attempts at its receivers: ${attempts}`,
  ].join('\n');
  return { text, figures: { alone, besideFast, beside, ratio, attempts } };
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
  const addresses = async (webhookUrls: readonly string[]): Promise<string[]> => {
    const made: string[] = [];
    for (let i = 0; i < webhookUrls.length; i += CREATED_AT_ONCE) {
      const answers = await Promise.all(
        webhookUrls
          .slice(i, i + CREATED_AT_ONCE)
          .map((webhook_url) => api('POST', '/addresses', { webhook_url })),
      );
      for (const { status, body } of answers) {
        if (status !== 201) throw new Error(`the API responded with ${status} to a new address`);
        made.push((body as { address: string }).address);
      }
    }
    return made;
  };
  return { id, addresses };
}
