/** The schema of an InboundDomain resource. */
import { z } from 'zod';

import { AccountRef, commonStatus, ResourceEnvironment, rules } from './spec-fields.ts';

export const InboundDomainSpec = z.object({
  accountRef: AccountRef,
  environment: ResourceEnvironment,
  domain: z
    .string()
    .min(1)
    .max(253)
    .meta({
      description: 'domain to receive mail for, once its owner is proven',
      ...rules({ rule: 'self == oldSelf', message: 'domain cannot be changed' }),
    }),
});
export type InboundDomainSpec = z.infer<typeof InboundDomainSpec>;

export const InboundDomainStatus = z.object({
  ...commonStatus,
  id: z.string().optional().describe('as the API shows it'),
  verification: z
    .object({
      type: z.string().describe('of the record'),
      name: z.string().describe('where it stands'),
      value: z.string().describe('what it says'),
    })
    .optional()
    .describe('the DNS record that proves who owns the domain'),
  mx: z
    .object({
      expected: z.array(z.string()).describe('hosts that mail should go to'),
      found: z.array(z.string()).describe('hosts that it goes to, best first'),
      isOk: z.boolean().describe('whether mail comes here'),
    })
    .optional()
    .describe('where its mail goes, and where it must go to be received here'),
});
export type InboundDomainStatus = z.infer<typeof InboundDomainStatus>;
