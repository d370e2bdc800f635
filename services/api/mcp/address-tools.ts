/** The tool that creates an address. */
import { z } from 'zod';

import { TTL_MAX_HOURS } from '../../core/address/address.ts';
import type { AddressView } from '../../core/address/address-view.ts';
import { Timestamp } from '../../core/time/timestamp.ts';
import { textField } from '../../core/resource/text-field.ts';
import { defineTool, type Tool } from './tool.ts';
import { storableJson } from '../../core/text/text.ts';

const DEFAULT_TTL_HOURS = 24;
const DESCRIPTION_MAX_CHARS = 200;

const Created = z.object({
  address_id: z.string().describe('for the other tools'),
  address: z.string().describe('email address that receives'),
  expires_at: Timestamp.nullable(),
});

/** @param offersFiles whether attachments can be links */
export const createAddressTool = (offersFiles: boolean): Tool =>
  defineTool({
    name: 'create_address',
    title: 'Create an email address',
    description:
      'Creates an email address that receives email until it expires. Its emails can be read with ' +
      'the other tools, and are not sent to any webhook.',
    permission: 'addresses:write',
    createsAddresses: true,
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false,
    },
    input: z.strictObject({
      ttl_hours: z
        .int()
        .min(1)
        .max(TTL_MAX_HOURS)
        .default(DEFAULT_TTL_HOURS)
        .describe('hours until the address expires'),
      description: textField({ maxChars: DESCRIPTION_MAX_CHARS })
        .default('Created by an agent')
        .describe('what it is for'),
    }),
    output: Created,
    run: async ({ call }, { ttl_hours, description }) => {
      const body = {
        // a tool with a URL of its own could send anything anywhere
        webhook_url: null,
        ttl_hours,
        description,
        ...(offersFiles && { payload: { attachments: 'url' } }),
      };
      const created = (await call('createAddress', { body })) as AddressView;
      const { id: address_id, address, expires_at } = created;
      const structured = { address_id, address, expires_at };
      return { text: storableJson(structured), structured, about: { address_id } };
    },
  });
