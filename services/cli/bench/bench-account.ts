/**
 * The account of `inlet admin bench` and its addresses. They exist for one run. An email to them is
 * test email, which is never billed, and is attempted once. Their receiver may be a private address,
 * as a Service of a custom resource may: no other address gets that permission.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import { EmailTakenError } from '../../adapters/mongo/account/accounts.ts';
import { createSecretBox, SecretsConfig } from '../../adapters/mongo/database/secrets.ts';
import { createStoresWithSecrets, INDEXES } from '../../adapters/mongo/stores.ts';
import { ensureIndexes } from '../../adapters/mongo/database/connection.ts';
import { readConfig } from '../../adapters/process/config.ts';
import type { Account } from '../../core/account/account.ts';
import { storedOptions } from '../../core/address/address-options.ts';
import { wholeAccount } from '../../core/address/scope.ts';
import { base32, ID_RANDOM_BYTES, newId } from '../../core/ids.ts';
import { AddressConfig } from '../../platform/settings/addresses.ts';
import { newKeys } from '../../platform/receiver/webhook-keys.ts';

import { closeAccount } from '../admin/accounts.ts';
import type { Database } from '../admin/database.ts';
import { Failure } from '../terminal/failure.ts';

const EMAIL = 'bench@inlet.invalid';
const OWNER = { email: EMAIL, name: 'inlet admin bench' };
const ENVIRONMENT = 'test';
const LOCAL_PART_BYTES = 10;
/** A run that was asked to stop removes its account within this time; one that begins makes addresses. */
const FORMER_WAIT_MS = 60_000;
const WAIT_MAX_MS = FORMER_WAIT_MS + 10_000;
const POLL_MS = 1_000;

const Config = z.object({ ...SecretsConfig, INBOUND_DOMAIN: AddressConfig.INBOUND_DOMAIN });

type BenchAccount = AsyncDisposable & { addresses: string[] };

type Options = {
  addresses: number;
  webhookUrl: string;
  ca: string;
  /** The addresses end then by themselves, if this process is killed. */
  expiresAt: Date;
  say: (line: string) => void;
  signal: AbortSignal;
};

/** Disposing it removes the account with its addresses, records and events. */
export async function createBenchAccount(
  database: Database,
  { addresses, webhookUrl, ca, expiresAt, say, signal }: Options,
): Promise<BenchAccount> {
  const config = readConfig(Config, database.env);
  const stores = createStoresWithSecrets(database.mongo.db, createSecretBox(config.SECRET_KEYS));
  await ensureIndexes(database.mongo.db, [INDEXES.deliveries, INDEXES.receivers], {
    withinMs: database.withinMs,
  });
  /** Those of a run end with it at the latest. */
  const hasCurrentAddress = async (account: string): Promise<boolean> => {
    const scope = wholeAccount({ account_id: account, environment: ENVIRONMENT });
    const { total } = await stores.addresses.page(scope, {}, { limit: 1, offset: 0 }, new Date());
    return total > 0;
  };
  const { id: account_id } = await newAccount(database, hasCurrentAddress, { say, signal });
  const remove = async () => {
    await removeAccount(database, account_id);
    say('removed the account, its addresses and their records');
  };
  await using parts = new AsyncDisposableStack();
  parts.defer(remove);
  const now = new Date();
  const made = Array.from({ length: addresses }, () => ({
    id: newId('addr', now, randomBytes(ID_RANDOM_BYTES)),
    account_id,
    environment: ENVIRONMENT as typeof ENVIRONMENT,
    address: `${base32(randomBytes(LOCAL_PART_BYTES))}@${config.INBOUND_DOMAIN}`,
    webhook_url: webhookUrl,
    ...newKeys('hmac'),
    auth: null,
    is_enabled: true,
    is_permanent: false,
    expires_at: expiresAt,
    email_count: 0,
    created_at: now,
    updated_at: now,
    deleted_at: null,
    ...storedOptions({ description: OWNER.name, service: { ca } }, now),
  }));
  for (const address of made) await stores.addresses.insert(address);
  const kept = parts.move();
  return {
    addresses: made.map(({ address }) => address),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Waits for a former run that ends, and removes what a killed one has left. */
async function newAccount(
  database: Database,
  hasCurrentAddress: (account_id: string) => Promise<boolean>,
  { say, signal }: Pick<Options, 'say' | 'signal'>,
): Promise<Account> {
  const { accounts } = database.stores;
  const deadlineMs = performance.now() + WAIT_MAX_MS;
  for (let hasSaid = false; ;)
    try {
      const account = await accounts.create(OWNER);
      // an email that fails is not tried again: nothing of a run goes on after it
      const settings = { webhook_retry_attempts: 0 };
      return (await accounts.update(account.id, { settings })) ?? account;
    } catch (error) {
      if (!(error instanceof EmailTakenError)) throw error;
      const former = await accounts.findByEmail(EMAIL);
      if (former === undefined) continue; // it has ended meanwhile
      const isOld = Date.now() - former.created_at.getTime() > FORMER_WAIT_MS;
      if (isOld && !(await hasCurrentAddress(former.id))) {
        await removeAccount(database, former.id);
        say(`removed the account ${former.id}, which a killed run has left`);
      } else if (performance.now() > deadlineMs)
        throw new Failure(
          `another run has begun at ${former.created_at.toISOString()}. If it was killed: ` +
            `inlet admin account close ${former.id} --yes`,
        );
      else {
        if (!hasSaid) say('another run has its account: waiting for its end, at most a minute');
        hasSaid = true;
        await sleep(POLL_MS, undefined, { signal });
      }
    }
}

async function removeAccount(database: Database, account_id: string): Promise<void> {
  await closeAccount(database, account_id, { yes: true });
  await database.stores.accountRecords.remove({ account_id, environment: ENVIRONMENT });
}
