/** Local parts and domains in requests, normalized to the form in which they are stored. */
import { z } from 'zod';

import {
  type Checked,
  checkDomain,
  checkLocalPart,
  checkDomainPart,
} from '../../core/address/address-name.ts';
import { issueOf } from '../../core/error/app-error.ts';

const nameField = <T extends object, O>(
  check: (text: string) => Checked<T>,
  nameOf: (checked: T) => O,
  /** What a name must be. */
  rule: string,
  meta: object,
) =>
  z
    .string()
    .transform((text, context) => {
      const checked = check(text);
      if (!('fault' in checked)) return nameOf(checked);
      context.issues.push(
        issueOf(checked.fault, text, checked.fault === 'invalid_value' ? rule : undefined),
      );
      return z.NEVER;
    })
    .meta({ minLength: 1, ...meta });

export const LocalPart = nameField(
  checkLocalPart,
  ({ localPart }) => localPart,
  'must be letters, digits, dots, hyphens and _, as before the @ of an address, without a plus; or *',
  {
    format: 'local-part',
    maxLength: 64,
    description:
      'the part before the @, up to 64 octets, without a plus; * receives mail for every name ' +
      'without an address (catch-all, own domains only); default: random',
  },
);

export const DomainPart = nameField(
  checkDomainPart,
  ({ domainPart }) => domainPart,
  'must be a domain such as in.example.com, or *.example.com for its subdomains',
  {
    format: 'domain-name',
    maxLength: 255,
    description:
      'the shared domain (default), a verified domain of the account, or a subdomain of it; ' +
      '*.example.com covers all subdomains of example.com',
  },
);

export const DomainName = nameField(
  checkDomain,
  ({ domain }) => domain,
  'must be a domain such as in.example.com, with two to eight labels',
  {
    format: 'domain-name',
    maxLength: 254,
    description: 'two to eight labels; internationalized names in Unicode or ASCII form',
  },
);
