/** The settings of addresses, for the API and the operator. */
import { z } from 'zod';

import { asciiDomain } from '../../core/mail/fields/email-address.ts';

const HostList = z.string().transform((text) =>
  text
    .split(',')
    .map((word) => word.trim().toLowerCase().replace(/\.$/, ''))
    .filter((word) => word !== ''),
);

const Domain = z.string().transform((text, context) => {
  const domain = asciiDomain(text);
  if (domain !== undefined) return domain;
  context.addIssue({ code: 'custom', message: `"${text}" is not a domain name` });
  return z.NEVER;
});

export const AddressConfig = {
  INBOUND_DOMAIN: Domain.describe(
    'domain of the addresses that Inlet generates; its MX record names the gateway',
  ),
  MX_HOSTS: HostList.optional().describe(
    'host names of the gateways, separated by commas, to which the MX records of own domains ' +
      'are to point; INBOUND_DOMAIN when unset',
  ),
  MX_TLS_CERT_FILE: z
    .string()
    .optional()
    .describe(
      'PEM certificate of the MX hosts, as senders get it from the gateways; without it, the ' +
        'MTA-STS mode `enforce` is refused',
    ),
};
