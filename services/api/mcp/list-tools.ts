/** The tools that find emails: lists, search, and waiting for the next one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

import type { Addresses } from '../../adapters/mongo/address/addresses.ts';
import type { Deliveries } from '../../adapters/mongo/delivery/deliveries.ts';
import { AppError, notFound } from '../../core/error/app-error.ts';
import type { DeliveryListItem, DeliveryView } from '../../core/delivery/delivery-view.ts';
import { awaitedEmailText, emailListText } from '../../core/mcp/email-list.ts';
import { searchFields } from '../delivery/search-fields.ts';
import { RecordId } from '../http/input/record-id.ts';
import { defineTool, READS, type Tool, type ToolRequest, type ToolResult } from './tool.ts';

type ListToolDependencies = {
  addresses: Pick<Addresses, 'page'>;
  deliveries: Pick<Deliveries, 'findEmail'>;
};

/** An id, or an email address with a local part of 64 octets (RFC 5321 §4.5.3.1). */
const ADDRESS_MAX_CHARS = 320;
const addressField = z
  .string()
  .min(1)
  .max(ADDRESS_MAX_CHARS)
  .optional()
  .describe('only this address: address_id of another tool (addr_…), or the email address itself');

const LIMIT_MAX = 50;
const LIMIT_DEFAULT = 20;
const OFFSET_MAX = 10_000;
export const pageFieldsOf = (what: string) => ({
  limit: z.int().min(1).max(LIMIT_MAX).default(LIMIT_DEFAULT),
  offset: z.int().min(0).max(OFFSET_MAX).default(0).describe(`${what} to skip`),
});
const pageFields = pageFieldsOf('emails');

const DATE_MAX_CHARS = 40;
/** The endpoint reads it. */
export const dateField = z.string().max(DATE_MAX_CHARS).optional();

/** Clients give up after 60 seconds, unless they are told otherwise. */
const WAIT_MAX_SECONDS = 50;
const WAIT_DEFAULT_SECONDS = 25;
/** An email that caused the call has often arrived before it. */
const LOOK_BACK_MS = 60_000;

/** An email is reported before it has a record, which follows within two seconds. */
const RECORDED_MAX_MS = 3_000;
const RECORDED_LOOK_MS = 150;

export function listTools({ addresses, deliveries }: ListToolDependencies): Tool[] {
  /** @throws AppError `not_found` */
  async function addressIdOf(
    { request: { caller, now } }: ToolRequest,
    address: string | undefined,
  ): Promise<string | undefined> {
    if (address === undefined) return undefined;
    if (!address.includes('@')) {
      if (RecordId.safeParse(address).success) return address;
      throw notFound('address');
    }
    const filter = { address: address.toLowerCase() };
    const { items } = await addresses.page(caller, filter, { limit: 1, offset: 0 }, now);
    const [found] = items;
    if (found === undefined) throw notFound('address');
    return found.id;
  }

  /** Other tools read the record, so it should be there when an email is reported. */
  async function untilRecorded({ caller }: ToolRequest['request'], eventId: string): Promise<void> {
    const endsMs = performance.now() + RECORDED_MAX_MS;
    while ((await deliveries.findEmail(caller, eventId)) === undefined) {
      if (performance.now() > endsMs) return;
      await sleep(RECORDED_LOOK_MS);
    }
  }

  async function list(
    requested: ToolRequest,
    {
      address_id: asked_id,
      ...fields
    }: { address_id?: string | undefined; limit: number; offset: number },
  ): Promise<ToolResult> {
    const address_id = await addressIdOf(requested, asked_id);
    const { data, pagination } = (await requested.call('listDeliveries', {
      // the address itself is also a receiver: each email once
      query: { ...fields, ...(address_id && { address_id, receiver_id: address_id }) },
    })) as { data: z.infer<typeof DeliveryListItem>[]; pagination: { has_more: boolean } };
    const page = { offset: fields.offset, hasMore: pagination.has_more };
    return {
      text: emailListText(data, page, requested.mark),
      ...(address_id && { about: { address_id } }),
    };
  }

  return [
    defineTool({
      name: 'wait_for_email',
      title: 'Wait for an email',
      description:
        'Waits for the next email of an address and returns its sender, subject and event_id. Without ' +
        '`after`, an email of the last minute counts, too. Call it again when none arrived in time.',
      permission: 'deliveries:read',
      waits: true,
      annotations: READS,
      input: z.strictObject({
        address_id: addressField.describe(
          'address_id of another tool (addr_…), or the email address itself; may be omitted ' +
            'by a token that reaches a single address',
        ),
        after: RecordId.optional().describe(
          'event_id of the last email that you have seen: only later ones count',
        ),
        timeout_seconds: z
          .int()
          .min(1)
          .max(WAIT_MAX_SECONDS)
          .default(WAIT_DEFAULT_SECONDS)
          .describe('longest wait'),
      }),
      run: async (requested, { address_id: given, after, timeout_seconds: timeout }) => {
        const { caller, now } = requested.request;
        const address_id = (await addressIdOf(requested, given)) ?? onlyAddressOf(caller);
        const last = after === undefined ? undefined : await deliveries.findEmail(caller, after);
        if (after !== undefined && last === undefined) throw notFound('email');
        const since = last
          ? new Date(last.received_at.getTime() + 1)
          : new Date(now.getTime() - LOOK_BACK_MS);
        const query = { address_id, since: since.toISOString(), timeout };
        const found = (await requested.call('waitForDelivery', { query })) as z.infer<
          typeof DeliveryView
        > | null;
        if (found === null)
          return {
            text: `No email arrived within ${timeout} seconds. Call wait_for_email again to wait longer.`,
            about: { address_id },
          };
        await untilRecorded(requested.request, found.event_id);
        const about = { address_id, event_id: found.event_id };
        return { text: awaitedEmailText(found, requested.mark), about };
      },
    }),
    defineTool({
      name: 'list_emails',
      title: 'List emails',
      description:
        'Lists received emails, newest first: sender, subject, time, event_id and thread_id of each.',
      permission: 'deliveries:read',
      annotations: READS,
      input: z.strictObject({ address_id: addressField, ...pageFields }),
      run: list,
    }),
    defineTool({
      name: 'search',
      title: 'Search emails',
      description:
        'Finds received emails by sender, recipient, subject and more, newest first. An email matches ' +
        'all fields that are given. `text` works where the account lets texts be searched.',
      permission: 'deliveries:read',
      annotations: READS,
      input: z.strictObject({
        address_id: addressField,
        ...searchFields,
        start_date: dateField.describe('received at or after this ISO 8601 time or date'),
        end_date: dateField.describe('received before this ISO 8601 time, or until this date'),
        ...pageFields,
      }),
      run: list,
    }),
  ];
}

function onlyAddressOf({ address_ids }: ToolRequest['request']['caller']): string {
  const [only, ...others] = address_ids ?? [];
  if (only !== undefined && others.length === 0) return only;
  throw new AppError(
    'validation_failed',
    'address_id is required: this token reaches more than one',
    {
      details: { field: 'address_id', code: 'required' },
    },
  );
}
