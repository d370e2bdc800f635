/** Options of `inlet addresses create` and `update` for how much an address accepts. */
import type { Command } from 'commander';

import type { Address, UpdateAddressRequest } from '../core/api/api-types.generated.ts';
import { countOrNone, scoreOrNone } from './arguments.ts';

export type LimitOptions = {
  maxPerHour?: number | 'none';
  spamRefuseAbove?: number | 'none';
  attachmentTypes?: string;
  attachmentMaxBytes?: number | 'none';
};

export const limitOptions = (command: Command): Command =>
  command
    .option(
      '--max-per-hour <count>',
      'emails that it accepts in an hour; none: no limit',
      countOrNone,
    )
    .option(
      '--spam-refuse-above <score>',
      'refuse email with a spam score above this; none: no limit',
      scoreOrNone,
    )
    .option(
      '--attachment-types <list>',
      'accept only attachments of these types, such as application/pdf,image/*; none: no ' +
        'attachment; all',
    )
    .option(
      '--attachment-max-bytes <bytes>',
      'accept only attachments up to this size; none: no limit',
      countOrNone,
    );

export const namesAttachments = ({ attachmentTypes, attachmentMaxBytes }: LimitOptions): boolean =>
  attachmentTypes !== undefined || attachmentMaxBytes !== undefined;

export const perHourOf = ({
  maxPerHour,
}: LimitOptions): Pick<UpdateAddressRequest, 'max_per_hour'> =>
  maxPerHour === undefined ? {} : { max_per_hour: maxPerHour === 'none' ? null : maxPerHour };

export const spamLimitOf = ({
  spamRefuseAbove: score,
}: LimitOptions): Pick<UpdateAddressRequest, 'spam_refuse_above'> =>
  score === undefined ? {} : { spam_refuse_above: score === 'none' ? null : score };

/** @param now of the address: what the options do not say stays */
export function allowedAttachmentsOf(
  options: LimitOptions,
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
