/**
 * Which attachments an address accepts: their types and the size of each (D60,
 * docs/addresses-and-domains.md).
 */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import { optional } from '../resource/described.ts';

const TYPES_MAX = 50;
const TYPE_MAX_CHARS = 127 + 1 + 127; // RFC 6838 §4.2
const BYTES_MAX = 1024 ** 3;

const CONTENT_TYPE =
  /^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}\/([A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}|\*)$/;

export const AllowedAttachments = z.object({
  types: z
    .array(
      z
        .string()
        .max(TYPE_MAX_CHARS)
        .regex(CONTENT_TYPE, 'must be a content type, such as application/pdf or image/*'),
    )
    .max(TYPES_MAX)
    .nullable()
    .optional()
    .describe(
      'content types as the payload reports them, such as application/pdf or image/*; an empty ' +
        'list allows no attachment; null or absent: all types',
    ),
  max_bytes: optional(
    z.int().min(1).max(BYTES_MAX).nullable(),
    'of the content of each attachment; null or absent: any size',
  ),
});
describeSchema(AllowedAttachments, 'AllowedAttachments', {
  types: ['application/pdf', 'image/*'],
  max_bytes: 5_242_880,
});

/** As records and responses have it: in lower case, with all fields. */
export const StoredAllowedAttachments = z.object({
  types: z.array(z.string()).nullable(),
  max_bytes: z.int().nullable(),
});
export type StoredAllowedAttachments = z.infer<typeof StoredAllowedAttachments>;

export const storedAllowedAttachments = ({
  types = null,
  max_bytes = null,
}: z.infer<typeof AllowedAttachments>): StoredAllowedAttachments => ({
  types: types && [...new Set(types.map((type) => type.toLowerCase()))],
  max_bytes,
});

/** As payloads have it. */
type AttachmentFacts = { content_type: string; size_bytes: number };

export function attachmentDecision(
  { types, max_bytes }: StoredAllowedAttachments,
  attachments: readonly AttachmentFacts[],
): 'allowed' | 'type_refused' | 'too_big' {
  if (types && attachments.some(({ content_type: type }) => !isAllowed(type, types)))
    return 'type_refused';
  if (max_bytes !== null && attachments.some(({ size_bytes: bytes }) => bytes > max_bytes))
    return 'too_big';
  return 'allowed';
}

function isAllowed(contentType: string, types: readonly string[]): boolean {
  const type = contentType.toLowerCase();
  return types.includes(type) || types.includes(`${type.slice(0, type.indexOf('/'))}/*`);
}
