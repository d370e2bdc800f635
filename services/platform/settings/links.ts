/** The settings of download links: the gateway creates them, the API serves the files. */
import { z } from 'zod';

import { KeyList } from '../../adapters/mongo/database/secrets.ts';
import { optional } from '../../core/resource/described.ts';

export const LinkConfig = {
  LINK_KEYS: KeyList.optional().describe(
    'keys that sign links to raw mails and attachments, each the base64 of 32 random bytes, ' +
      'separated by commas; the first signs, all verify; without them no payload may ask for ' +
      'links',
  ),
  PUBLIC_API_URL: optional(
    z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, '')),
    'root of the API as receivers reach it, such as https://inlet.example.com/v1; links begin with it',
  ),
};
export type LinkConfig = z.output<z.ZodObject<typeof LinkConfig>>;

export const linksAreWhole = ({ LINK_KEYS, PUBLIC_API_URL }: LinkConfig): boolean =>
  (LINK_KEYS === undefined) === (PUBLIC_API_URL === undefined);

/** The fault when they are not. */
export const LINKS_TOGETHER = {
  path: ['PUBLIC_API_URL'],
  message: 'must be set together with LINK_KEYS, or neither',
};
