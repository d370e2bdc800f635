/** The lookup of names that webhooks use: it yields only addresses that they may reach. */
import { isIP, type LookupFunction } from 'node:net';

import { networkRefusal } from '../../core/webhook/public-network.ts';

/**
 * A name with an address that is not public. Tenants see the same as for a name that does not
 * resolve.
 */
export class BlockedName extends Error {
  override readonly name = 'BlockedName';
}

/**
 * Checks addresses in the socket's own lookup, so that the checked address is the one it connects
 * to.
 */
export function checkedLookup(lookup: LookupFunction, allowed: readonly string[]): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0);
      const addresses = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }];
      for (const { address } of addresses) {
        const refusal = networkRefusal(address, allowed);
        if (refusal) return callback(new BlockedName(`${hostname} resolves to ${refusal}`), '', 0);
      }
      const [first] = addresses;
      if (first === undefined)
        return callback(
          Object.assign(new Error(`${hostname} has no address`), { code: 'ENODATA' }),
          '',
          0,
        );
      if (options.all) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
}
