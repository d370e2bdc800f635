/** Signed reply addresses of an address, and the key that signs them (D57). */
import { z } from 'zod';

import { describeSchema, EXAMPLE } from '../../core/resource/api-reference.ts';
import type { Addresses } from '../../adapters/mongo/address/addresses.ts';
import type { Audit } from '../../platform/audit.ts';
import type { AddressOperations } from '../../platform/address/address-operations.ts';
import { type Address, TTL_MAX_HOURS } from '../../core/address/address.ts';
import type { AddressScope } from '../../core/address/scope.ts';
import { refuseManaged } from '../../core/resource/managed-by.ts';
import {
  FormerSecretsValidUntil,
  formerSecretsValidUntil,
} from '../../core/receiver/secret-overlap.ts';
import { AppError, orNotFound } from '../../core/error/app-error.ts';
import { mailboxAt } from '../../core/address/resolution.ts';
import { normaliseAddress } from '../../core/mail/fields/email-address.ts';
import { LOCAL_PART_MAX_CHARS, REFERENCE, replyTag } from '../../core/reply/reply-address.ts';
import { FIRST_GENERATION, replyKey } from '../../core/reply/reply-key.ts';
import { Timestamp, timestamp } from '../../core/time/timestamp.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { optional } from '../../core/resource/described.ts';

const TTL_HOURS = 30 * 24;
const HOUR_MS = 3_600_000;
const SENDER_MAX_CHARS = 320; // RFC 5321 §4.5.3.1

const ReplyKeyView = z.object({
  reply_key: z.string().describe('signs reply addresses; starts with rkey_'),
  former_reply_keys_valid_until: FormerSecretsValidUntil.describe(
    'until then, reply addresses that a former key signed are accepted; null when none are',
  ),
});
describeSchema(ReplyKeyView, undefined, {
  reply_key: EXAMPLE.reply_key,
  former_reply_keys_valid_until: null,
});

const ReplyAddressView = z.object({
  address: z.string().describe('the reply address: anyone who knows it can write to it'),
  reference: z.string(),
  expires_at: Timestamp,
  sender: z.string().nullable().describe('for whom it was made; null for anybody'),
});
describeSchema(ReplyAddressView, undefined, {
  address: 'orders+rticket-42.6b28dc80.kdo64c0c5i4vtib5@in.example.com',
  reference: 'ticket-42',
  expires_at: '2026-12-21T08:00:00Z',
  sender: null,
});

const NewReplyAddress = z.strictObject({
  reference: z
    .string()
    .regex(REFERENCE, 'must be 1 to 60 of a-z, 0-9, _ and -')
    .describe(
      'what a reply belongs to, such as the number of a ticket; the local part has 64 characters ' +
        'in all, so the longest possible one depends on the address',
    ),
  ttl_hours: optional(
    z.int().min(1).max(TTL_MAX_HOURS),
    `hours until it expires; default: ${TTL_HOURS}`,
  ),
  sender: optional(
    z
      .string()
      .max(SENDER_MAX_CHARS)
      .meta({ format: 'email' })
      .refine((text) => normaliseAddress(text) !== undefined, 'must be an email address'),
    'email address whose replies are bound; default: anybody',
  ),
  mailbox: optional(
    z.string().max(SENDER_MAX_CHARS).meta({ format: 'email' }),
    'of a catch-all or wildcard address, which needs it: the mailbox that gets the tag',
  ),
});

type ReplyEndpointDependencies = {
  operations: Pick<AddressOperations, 'rotateReplyKey'>;
  addresses: Pick<Addresses, 'find' | 'managerOf'>;
  /** REPLY_KEYS of the settings. */
  keys: readonly Uint8Array[];
  audit: Audit;
};

export function replyEndpoints({
  operations,
  addresses,
  keys,
  audit,
}: ReplyEndpointDependencies): Endpoint[] {
  const keyOf = ({ id, reply_addresses, reply_key_generation }: Address): string => {
    const [first] = keys;
    if (!reply_addresses || first === undefined)
      throw new AppError('conflict', 'Reply addresses of this address are turned off');
    return replyKey(first, id, reply_key_generation ?? FIRST_GENERATION);
  };
  const find = async (scope: AddressScope, id: string, now: Date): Promise<Address> =>
    orNotFound(await addresses.find(scope, id, now), 'address');
  const view = (address: Address, now: Date): z.infer<typeof ReplyKeyView> => ({
    reply_key: keyOf(address),
    former_reply_keys_valid_until: formerSecretsValidUntil(address.former_reply_keys, now),
  });

  return [
    defineEndpoint({
      call: 'POST /addresses/{address_id}/reply-addresses',
      operationId: 'createReplyAddress',
      summary: 'Make a signed reply address; programs can make them without a request, too',
      permission: 'addresses:write',
      reach: 'limited',
      example: { request: { reference: 'ticket-42' } },
      errors: ['conflict'],
      body: NewReplyAddress,
      status: 201,
      response: ReplyAddressView,
      handle: async ({ caller, params, body, now }) => {
        const address = await find(caller, params.address_id, now);
        const { reference, ttl_hours = TTL_HOURS } = body;
        const expiresAt = new Date(now.getTime() + ttl_hours * HOUR_MS);
        const sender = body.sender === undefined ? undefined : normaliseAddress(body.sender);
        const tag = replyTag(keyOf(address), address.id, { reference, expiresAt, sender });
        return {
          address: taggedAddress(mailboxOf(address, body.mailbox), tag),
          reference,
          expires_at: timestamp(expiresAt),
          sender: sender ?? null,
        };
      },
    }),
    defineEndpoint({
      call: 'GET /addresses/{address_id}/reply-key',
      operationId: 'getReplyKey',
      summary: 'Get the key that signs reply addresses; each view is an event',
      permission: 'secrets:read',
      reach: 'limited',
      tag: 'addresses',
      errors: ['conflict'],
      response: ReplyKeyView,
      handle: async ({ params: { address_id: id }, ...cause }) => {
        const found = view(await find(cause.caller, id, cause.now), cause.now);
        const data = { name: 'reply_key' };
        await audit(cause, { type: 'address.secret_viewed', address_id: id, data });
        return found;
      },
    }),
    defineEndpoint({
      call: 'POST /addresses/{address_id}/rotate-reply-key',
      operationId: 'rotateReplyKey',
      summary:
        'Rotate the key of reply addresses; during the overlap, those of both keys are accepted',
      permission: 'addresses:write',
      reach: 'limited',
      errors: ['conflict'],
      example: { request: { overlap_hours: TTL_HOURS } },
      body: z.strictObject({
        overlap_hours: optional(
          z.int().min(0).max(TTL_MAX_HOURS),
          'hours that reply addresses of the former key are still accepted, if they have not ' +
            'expired; default: 24',
        ),
      }),
      response: ReplyKeyView,
      handle: async ({ params: { address_id: id }, body: { overlap_hours }, ...cause }) => {
        refuseManaged('address', await addresses.managerOf(cause.caller, id));
        keyOf(await find(cause.caller, id, cause.now)); // turned on
        const overlapMs = overlap_hours === undefined ? undefined : overlap_hours * HOUR_MS;
        const rotated = await operations.rotateReplyKey(cause, id, { overlapMs });
        return view(rotated, cause.now);
      },
    }),
  ];
}

/** @throws AppError `conflict` without a mailbox, `validation_failed` */
function mailboxOf({ address }: Address, named?: string): string {
  const mailbox = mailboxAt(address, named);
  if (mailbox !== undefined) return mailbox;
  if (named === undefined)
    throw new AppError(
      'conflict',
      'A catch-all or a wildcard is not one mailbox: say which one in `mailbox`',
    );
  throw new AppError('validation_failed', `The mailbox is not one of ${address}, without a tag`, {
    details: { field: 'mailbox', code: 'invalid_value' },
  });
}

function taggedAddress(address: string, tag: string): string {
  const [box = '', domain = ''] = address.split('@');
  const local = `${box}+${tag}`;
  if (Buffer.byteLength(local) > LOCAL_PART_MAX_CHARS)
    throw new AppError(
      'validation_failed',
      `With this reference the local part is longer than ${LOCAL_PART_MAX_CHARS} characters`,
      { details: { field: 'reference', code: 'too_long' } },
    );
  return `${local}@${domain}`;
}
