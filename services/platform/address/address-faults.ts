/** Why an address cannot be created or changed as asked. */
import type { Address, AddressChange } from '../../core/address/address.ts';
import { isPlain, isReserved, looksGenerated } from '../../core/address/address-name.ts';
import { CATCH_ALL } from '../../core/address/resolution.ts';
import { AppError, fieldConflict } from '../../core/error/app-error.ts';
import { contradictsAfter, hasLinks } from '../../core/address/content-settings.ts';

export const taken = (address: string) =>
  fieldConflict('local_part', `${address} is taken or reserved`);
export const noSuchDomain = (domain: string) =>
  fieldConflict('domain', `${domain} is not a verified domain of this account and environment`);

export const takesSharedMail = (domain: string, inboundDomain: string) =>
  fieldConflict(
    'domain',
    `${domain} would take mail of ${inboundDomain}, the domain that all accounts share`,
  );
export const expired = () =>
  new AppError(
    'conflict',
    'This address has expired. It can no longer be enabled or extended. Create another one',
  );

const linksWouldEnd = () =>
  fieldConflict(
    'retention_hours',
    'The payload has links, which work only while the email is stored: retention_hours must be at ' +
      'least 1, or payload without links',
  );

/** D44: links in payloads need an email that is stored after its delivery. @throws AppError `conflict` */
export function requireWorkingLinks(address: Address, change: AddressChange): void {
  if (change.retention_hours !== 0 && !hasLinks(change.payload)) return;
  if (contradictsAfter(address, change)) throw linksWouldEnd();
}

/** @throws AppError `validation_failed`, or `conflict` for a name that nobody may choose */
export function refuseOnSharedDomain(localPart: string, inboundDomain: string): void {
  if (localPart === CATCH_ALL)
    throw new AppError('validation_failed', 'local_part * needs a domain of your own', {
      details: { field: 'local_part', code: 'conflict' },
    });
  if (!isPlain(localPart))
    throw new AppError(
      'validation_failed',
      'local_part can contain only ASCII letters, digits, dot, hyphen and underscore on the ' +
        'shared domain',
      { details: { field: 'local_part', code: 'invalid_value' } },
    );
  if (isReserved(localPart) || looksGenerated(localPart))
    throw taken(`${localPart}@${inboundDomain}`);
}
