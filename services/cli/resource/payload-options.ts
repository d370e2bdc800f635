/** The options of an address or receiver that change the payload of its webhooks. */
import { type Command, Option } from 'commander';

import type { UpdateAddressRequest } from '../../core/api/api-types.generated.ts';
import { EXTRACTIONS } from '../../core/extract/extraction-names.ts';
import { usageFault } from '../terminal/failure.ts';

type Payload = NonNullable<UpdateAddressRequest['payload']>;
type Storage = NonNullable<Payload['storage']>;

type PayloadOptions = {
  extract?: string;
  store?: string;
  attachments?: 'inline' | 'omit' | 'url';
  rawLink?: 'yes' | 'no';
};

export const addPayloadOptions = (command: Command): Command =>
  command
    .option(
      '--extract <list>',
      `add to the payload what Inlet reads from each email: ${EXTRACTIONS.join(', ')}, separated by commas; none`,
    )
    .option(
      '--store <bucket:files>',
      'store raw, attachments or both (separated by commas) in this bucket, such as files:raw; none',
    )
    .addOption(
      new Option(
        '--attachments <how>',
        'content of attachments: in the payload (inline), left out (omit), or as links that expire (url)',
      ).choices(['inline', 'omit', 'url']),
    )
    .addOption(
      new Option(
        '--raw-link <yes|no>',
        'whether the payload has a link to the raw email; it expires',
      ).choices(['yes', 'no']),
    );

/** The API checks the names. Undefined when no option is given. */
export function payloadOf({
  extract,
  store,
  attachments,
  rawLink,
}: PayloadOptions): Payload | undefined {
  const isGiven = [extract, store, attachments, rawLink].some((option) => option !== undefined);
  if (!isGiven) return undefined;
  return {
    ...(attachments !== undefined && { attachments }),
    ...(rawLink !== undefined && { raw: rawLink === 'yes' }),
    ...(extract !== undefined && {
      extract: extract === 'none' ? [] : (extract.split(',') as Payload['extract'] & {}),
    }),
    ...(store !== undefined && { storage: store === 'none' ? null : storageOf(store) }),
  };
}

function storageOf(text: string): Storage {
  const [bucket = '', files, ...rest] = text.split(':');
  if (files === undefined || rest.length > 0)
    throw usageFault(`--store ${text} is not a bucket, a colon and files, such as files:raw`);
  return { bucket, what: files.split(',') as Storage['what'] };
}
