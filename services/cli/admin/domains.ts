/** `inlet admin domain …` and `secrets reencrypt`, which concern several accounts. */
import { z } from 'zod';

import { reencryptSecrets } from '../../adapters/mongo/reencryption.ts';
import { createSecretBox, SecretsConfig } from '../../adapters/mongo/database/secrets.ts';
import { readConfig } from '../../adapters/process/config.ts';
import { checkDomain } from '../../core/address/address-name.ts';
import { notFoundFault, usageFault } from '../terminal/failure.ts';
import { KEY_NAME, SERVICE_ID, templateOf } from '../../core/domain/domain-connect.ts';
import { AddressConfig } from '../../platform/settings/addresses.ts';
import {
  DomainConnectConfig,
  domainConnectOf,
  publicKeyRecords,
} from '../../platform/settings/domain-connect.ts';
import type { Database } from './database.ts';

const ConnectConfig = z.object({ ...AddressConfig, ...DomainConnectConfig });

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

/** What github.com/Domain-Connect/Templates and the DNS of the provider need. */
export function connectTemplate(env: NodeJS.ProcessEnv): object {
  const config = readConfig(ConnectConfig, env);
  const provider = domainConnectOf(config);
  if (provider === undefined)
    throw usageFault('set DOMAIN_CONNECT_PROVIDER and DOMAIN_CONNECT_KEY first');
  const { id, key } = provider;
  return {
    template_file: `${id}.${SERVICE_ID}.json`,
    template: templateOf(id, config.MX_HOSTS ?? [config.INBOUND_DOMAIN]),
    dns: publicKeyRecords(key).map((value) => ({ type: 'TXT', name: `${KEY_NAME}.${id}`, value })),
  };
}

/** The domain as it is stored. */
function normalized(text: string): string {
  const checked = checkDomain(text);
  if ('fault' in checked) throw usageFault(`"${text}" is not a domain name`);
  return checked.domain;
}
