/** `inlet admin domain …` and `secrets reencrypt`, which concern several accounts. */
import { z } from 'zod';

import { reencryptSecrets } from '../../adapters/mongo/reencryption.ts';
import { createSecretBox, SecretsConfig } from '../../adapters/mongo/database/secrets.ts';
import { readConfig } from '../../adapters/process/config.ts';
import { checkDomain } from '../../core/address/address-name.ts';
import { notFoundFault, usageFault } from '../terminal/failure.ts';
import type { Database } from './database.ts';

export async function domainOwners({ stores }: Database, name: string): Promise<object[]> {
  const conflicting = await stores.domains.conflicting(normalized(name));
  return conflicting.map(({ token: _token, ...record }) => record);
}

export async function releaseDomain({ stores }: Database, name: string): Promise<object> {
  const released = await stores.domains.release(normalized(name), new Date());
  if (released === undefined) throw notFoundFault(`verified domain: ${name}`);
  const { domain, account_id, environment } = released.record;
  return { domain, account_id, environment, addresses_deleted: released.addresses };
}

export const reencrypt = ({ mongo, env }: Database): Promise<object> =>
  reencryptSecrets(mongo.db, createSecretBox(readConfig(z.object(SecretsConfig), env).SECRET_KEYS));

/** The domain as it is stored. */
function normalized(text: string): string {
  const checked = checkDomain(text);
  if ('fault' in checked) throw usageFault(`"${text}" is not a domain name`);
  return checked.domain;
}
