/** Why an address cannot be created or changed as asked. */
import { fieldConflict } from '../core/app-error.ts';

export const taken = (address: string) =>
  fieldConflict('local_part', `${address} is taken or reserved`);
export const noSuchDomain = (domain: string) =>
  fieldConflict('domain', `${domain} is not a verified domain of this account and environment`);

export const linksWouldEnd = () =>
  fieldConflict(
    'retention_hours',
    'The payload has links, which work only while the email is stored: retention_hours must be at ' +
      'least 1, or payload without links',
  );
