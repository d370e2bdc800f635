/** Options of `inlet addresses create` and `update` for which attachments an address accepts. */
import type { Command } from 'commander';

import type { Address, UpdateAddressRequest } from '../../core/api/api-types.generated.ts';
import { countIn, orWord } from '../terminal/arguments.ts';

export type AttachmentOptions = {
  attachmentTypes?: string;
  attachmentMaxBytes?: number | 'none';
};

export const attachmentOptions = (command: Command): Command =>
  command
    .option(
      '--attachment-types <list>',
      'accept only attachments of these types, such as application/pdf,image/*; none: no ' +
        'attachment; all',
    )
    .option(
      '--attachment-max-bytes <bytes>',
      'accept only attachments up to this size; none: no limit',
      orWord('none', countIn),
    );

export const namesAttachments = ({
  attachmentTypes,
  attachmentMaxBytes,
}: AttachmentOptions): boolean => attachmentTypes !== undefined || attachmentMaxBytes !== undefined;

/** @param now of the address: what the options do not say stays */
export function allowedAttachmentsOf(
  options: AttachmentOptions,
  now: Address['allowed_attachments'] = null,
): Pick<UpdateAddressRequest, 'allowed_attachments'> {
  if (!namesAttachments(options)) return {};
  const { attachmentTypes, attachmentMaxBytes: maxBytes } = options;
  const types = attachmentTypes === undefined ? (now?.types ?? null) : typesOf(attachmentTypes);
  const max_bytes =
    maxBytes === undefined ? (now?.max_bytes ?? null) : maxBytes === 'none' ? null : maxBytes;
  return { allowed_attachments: types || max_bytes ? { types, max_bytes } : null };
}

function typesOf(text: string): string[] | null {
  if (text === 'all') return null;
  return text === 'none' ? [] : text.split(',');
}
