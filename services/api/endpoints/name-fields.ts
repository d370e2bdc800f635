/** Names in requests: local parts and domains, in their one spelling afterwards. */
import { z } from 'zod';

import {
  type Checked,
  checkDomain,
  checkLocalPart,
  checkPlace,
} from '../../core/account/address-name.ts';
import { issueOf } from '../http/validation.ts';

const nameField = <T extends object, O>(
  check: (text: string) => Checked<T>,
  nameOf: (checked: T) => O,
  meta: object,
) =>
  z
    .string()
    .transform((text, context) => {
      const checked = check(text);
      if (!('fault' in checked)) return nameOf(checked);
      context.issues.push(issueOf(checked.fault, text));
      return z.NEVER;
    })
    .meta({ minLength: 1, ...meta });

export const LocalPart = nameField(checkLocalPart, ({ localPart }) => localPart, {
  format: 'local-part',
  maxLength: 64,
  description:
    'what stands before the @, up to 64 octets, without a plus; * for every name that has no address (a catch-all), on own domains only; default: a random one',
});

export const Place = nameField(checkPlace, ({ place }) => place, {
  format: 'domain-name',
  maxLength: 255,
  description:
    "the domain that all share (default), a verified domain of the account's own, or one within it; *.example.com for all within example.com",
});

export const DomainName = nameField(checkDomain, ({ domain }) => domain, {
  format: 'domain-name',
  maxLength: 254,
  description: 'two to eight labels; internationalised names in either form',
});
