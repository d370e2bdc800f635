/** The option that names what Inlet reads from the emails of an address or receiver. */
import type { UpdateAddressRequest } from '../core/api/api-types.generated.ts';
import { EXTRACTIONS } from '../core/extract/extraction-names.ts';

type Payload = NonNullable<UpdateAddressRequest['payload']>;

export const EXTRACT = [
  '--extract <list>',
  `add to the payload what Inlet reads from each email: ${EXTRACTIONS.join(', ')}, separated by commas; none`,
] as const;

/** The API checks the names. */
export const extractOf = (list: string | undefined): { payload?: Payload } =>
  list === undefined
    ? {}
    : { payload: { extract: list === 'none' ? [] : (list.split(',') as Payload['extract'] & {}) } };
