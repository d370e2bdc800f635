/**
 * Commands take the id of an address or the address itself, such as `orders@in.example.com`, and the
 * id or the name of a list and of a bucket.
 */
import type { Call } from '../../core/api/calls.ts';
import { notFoundFault } from '../terminal/failure.ts';

/** Fields of a request that name an address. A receiver can be one, too. */
const FIELDS = ['address_id', 'receiver_id'];

type Fields = Record<string, unknown>;

/** @throws Failure when the account has no such address */
export async function addressIdOf(call: Call, given: string): Promise<string> {
  if (!given.includes('@')) return given;
  const { data } = await call('GET /addresses', { query: { address: given, limit: 1 } });
  const [found] = data;
  if (found === undefined) throw notFoundFault(`address: ${given}`);
  return found.id;
}

/** Nouns with a name that is unique in the account: the call that lists them, and the prefix of their ids. */
const NAMED = [
  { field: 'list_id', begin: 'lst_', all: 'GET /lists' },
  { field: 'bucket_id', begin: 'bkt_', all: 'GET /account/buckets' },
] as const;

/** The given name stays when nothing has it: the API says so. */
async function withIdOfName(call: Call, params: Fields | undefined): Promise<Fields | undefined> {
  const named = NAMED.find(({ field }) => params?.[field] !== undefined);
  const given = named && String(params?.[named.field]);
  if (named === undefined || given === undefined || given.startsWith(named.begin)) return params;
  const { data }: { data: { id: string; name: string }[] } = await call(named.all, {});
  const id = data.find(({ name }) => name === given)?.id ?? given;
  return { ...params, [named.field]: id };
}

/** Calls with ids instead of addresses and names. */
export const withNames = (call: Call): Call =>
  async function callByNames(name, input) {
    const given = input as { params?: Fields; query?: Fields; body?: Fields };
    const [params, query, body] = await Promise.all(
      [await withIdOfName(call, given.params), given.query, given.body].map((fields) =>
        withIds(call, fields),
      ),
    );
    const resolved = {
      ...given,
      ...(params && { params }),
      ...(query && { query }),
      ...(body && { body }),
    };
    return call(name, resolved as typeof input);
  };

async function withIds(call: Call, fields: Fields | undefined): Promise<Fields | undefined> {
  const named = FIELDS.filter((field) => String(fields?.[field] ?? '').includes('@'));
  if (named.length === 0) return fields;
  const ids = await Promise.all(
    named.map(async (field) => [field, await addressIdOf(call, String(fields?.[field]))] as const),
  );
  return { ...fields, ...Object.fromEntries(ids) };
}

const NAMES_MAX = 1_000;

/** The addresses of ids, each asked for once. */
export function createAddressNames(call: Call) {
  const names = new Map<string, string | undefined>();
  return {
    /** Undefined when the token may not read it, or it is gone. */
    of: async (id: string): Promise<string | undefined> => {
      if (!names.has(id)) {
        if (names.size >= NAMES_MAX) names.clear();
        const query = { ids: id, limit: 1 };
        const list = await call('GET /addresses', { query }).catch(() => undefined);
        names.set(id, list?.data[0]?.address);
      }
      return names.get(id);
    },
  };
}
