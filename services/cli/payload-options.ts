/** The options of an address or receiver that change the payload of its webhooks. */
import type { Command } from 'commander';

import type { UpdateAddressRequest } from '../core/api/api-types.generated.ts';
import { EXTRACTIONS } from '../core/extract/extraction-names.ts';
import { usageFault } from './failure.ts';

type Payload = NonNullable<UpdateAddressRequest['payload']>;
type Storage = NonNullable<Payload['storage']>;

export type PayloadOptions = { extract?: string; store?: string };

export const addPayloadOptions = (command: Command): Command =>
  command
    .option(
      '--extract <list>',
      `add to the payload what Inlet reads from each email: ${EXTRACTIONS.join(', ')}, separated by commas; none`,
    )
    .option(
      '--store <bucket:files>',
      'store raw, attachments or both (separated by commas) in this bucket, such as files:raw; none',
    );

/** The API checks the names. Empty when no option is given. */
export function payloadOf({ extract, store }: PayloadOptions): { payload?: Payload } {
  if (extract === undefined && store === undefined) return {};
  return {
    payload: {
      ...(extract !== undefined && {
        extract: extract === 'none' ? [] : (extract.split(',') as Payload['extract'] & {}),
      }),
      ...(store !== undefined && { storage: store === 'none' ? null : storageOf(store) }),
    },
  };
}

function storageOf(text: string): Storage {
  const [bucket = '', files, ...rest] = text.split(':');
  if (files === undefined || rest.length > 0)
    throw usageFault(`--store ${text} is not a bucket, a colon and files, such as files:raw`);
  return { bucket, what: files.split(',') as Storage['what'] };
}
