/** The keys of reply addresses: gateways check them, the API and the operator show those of an address. */
import { KeyList } from '../../adapters/mongo/database/secrets.ts';

export const ReplyConfig = {
  REPLY_KEYS: KeyList.optional().describe(
    'keys from which those of reply addresses are derived, each the base64 of 32 random bytes, ' +
      'separated by commas; the first makes the keys that are shown, those of all are accepted; ' +
      'without them no address may have reply addresses',
  ),
};
