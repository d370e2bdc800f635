/** Names and examples of the schemas in the API reference, which are registered where they are defined. */
import { z } from 'zod';

export const apiSchemas = z.registry<{ id: string | undefined; example: unknown }>();

/**
 * @param id is part of the contract: a renamed schema breaks programs that use a generated client.
 *   Without one, the schema is named after its operation.
 */
export function describeSchema<T extends z.ZodType>(
  schema: T,
  id: string | undefined,
  example?: z.output<T>,
): T {
  apiSchemas.add(schema, { id, example });
  return schema;
}

/** Values that several examples share. */
export const EXAMPLE = {
  account_id: 'acc_01k9wzk1r3s5t7u9v2w4x6y8za',
  address_id: 'addr_01k9wzq4c2d6f8g1h3j5k7m9np',
  domain_id: 'dom_01k9wzp8a1b3c5d7e9f2g4h6jk',
  event_id: 'evt_01k9x0v7n3m4q8r2s6t1w5y9za',
  other_event_id: 'evt_01k9x0v7n3m4q8r2s6t1w5y9zb',
  invoice_id: 'inv_01k9wzn6h8g1f3e5d7c9b2a4zy',
  notification_id: 'ntf_01k9wzr6b8c2d4e6f8g1h3j5km',
  receiver_id: 'rcv_01k9wzs2d4f6h8k1m3n5p7q9rt',
  member_id: 'member_01k9wzs5m7n9p2q4r6s8t1v3wx',
  list_id: 'lst_01k9wzs2d4f6h8k1m3n5p7q9rt',
  bucket_id: 'bkt_01k9wzt1c3e5g7j9m1n3p5q7rs',
  refusal_id: 'rfs_01kb7w3c00d2n5k8q1s4v7x0z3',
  session_id: 'session_01k9wzq3a5b7c9d2e4f6g8h1jk',
  token_id: 'token_01k9wzm2y4x6w8v1u3t5s7r9qp',
  webhook_url: 'https://example.com/inbound',
  reply_key: `rkey_${Buffer.from('inlet example reply key 32 bytes').toString('base64url')}`,
  webhook_secret: `whsec_${Buffer.from('inlet example secret, 32 bytes!!').toString('base64')}`,
  created_at: '2026-11-20T09:30:00Z',
  now: '2026-11-21T08:00:02Z',
  period_start: '2026-11-01T00:00:00Z',
  period_end: '2026-12-01T00:00:00Z',
} as const;

/** An email as it is. */
export const EXAMPLE_EMAIL = [
  'From: Ann <ann@sender.example>',
  'To: orders@in.example.com',
  'Subject: Order 7',
  '',
  'Please send another one.',
  '',
].join('\r\n');

/** The registered example of a schema, else one made of its parts' examples. */
export function exampleOf<T extends z.ZodType>(schema: T): z.output<T> {
  const example = apiSchemas.get(schema)?.example ?? composed(schema);
  return example as z.output<T>;
}

function composed(schema: z.ZodType): unknown {
  if (schema instanceof z.ZodArray) return [exampleOf(schema.element as z.ZodType)];
  if (!(schema instanceof z.ZodObject)) return undefined;
  const fields = Object.entries(schema.shape);
  return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field)]));
}
