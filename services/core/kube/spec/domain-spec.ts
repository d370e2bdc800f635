/** The schema of an InboundDomain resource. */
import { z } from 'zod';

import { MTA_STS_MODES } from '../../deliverability/mta-sts.ts';
import { DOMAIN_FIELDS } from '../../domain/domain.ts';
import { specShape } from '../../resource/spec.ts';
import { AccountRef, commonStatus, ResourceEnvironment } from './spec-fields.ts';

export const InboundDomainSpec = z.object({
  accountRef: AccountRef,
  environment: ResourceEnvironment,
  ...specShape(DOMAIN_FIELDS),
});
export type InboundDomainSpec = z.infer<typeof InboundDomainSpec>;

export const InboundDomainStatus = z.object({
  ...commonStatus,
  id: z.string().optional().describe('id of the domain in the API'),
  verification: z
    .object({
      type: z.string().describe('type of the record'),
      name: z.string().describe('name of the record'),
      value: z.string().describe('value of the record'),
    })
    .optional()
    .describe('the DNS record that verifies the domain'),
  mx: z
    .object({
      expected: z.array(z.string()).describe('hosts that the MX records should name'),
      found: z.array(z.string()).describe('hosts that the MX records name, most preferred first'),
      isOk: z.boolean().describe('whether mail of the domain reaches Inlet'),
    })
    .optional()
    .describe('the MX records of the domain: expected and found'),
  mtaSts: z
    .object({
      mode: z.enum(MTA_STS_MODES).describe('mode of the policy that is served'),
      record: z
        .object({
          type: z.string().describe('type of the record'),
          name: z.string().describe('name of the record'),
          value: z.string().describe('value of the record'),
        })
        .describe('the DNS record that announces the policy'),
    })
    .optional()
    .describe('the MTA-STS policy; absent for `none`'),
});
export type InboundDomainStatus = z.infer<typeof InboundDomainStatus>;
