/** The lookup of names that webhooks use: it yields only addresses that they may reach. */
import { isIP, type LookupFunction } from 'node:net';

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
 * @param refusalOf why a connection may not go to this address; undefined when it may
 */
export function checkedLookup(
  lookup: LookupFunction,
  refusalOf: (address: string) => string | undefined,
): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0);
      const addresses = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }];
      for (const { address } of addresses) {
        const refusal = refusalOf(address);
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
