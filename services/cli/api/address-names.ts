/**
 * Commands take the id of an address or the address itself, such as `orders@in.example.com`, and the
 * id or the name of other nouns.
 */
import type { Call } from '../../core/api/calls.ts';
import { notFoundFault, usageFault } from '../terminal/failure.ts';

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

const PAGE = 100;
/** Nouns that have a name: the prefix of their ids, and the call and the field that find one by it. */
const NAMED = [
  { field: 'list_id', begin: 'lst_', all: 'GET /lists', named: 'name' },
  { field: 'bucket_id', begin: 'bkt_', all: 'GET /account/buckets', named: 'name' },
  { field: 'domain_id', begin: 'dom_', all: 'GET /domains', named: 'domain' },
  { field: 'token_id', begin: 'token_', all: 'GET /account/tokens', named: 'name' },
  { field: 'member_id', begin: 'member_', all: 'GET /account/members', named: 'name' },
  { field: 'notification_id', begin: 'ntf_', all: 'GET /account/notifications', named: 'url' },
] as const;

/** Whether commands take the name of a noun, such as `bucket`, as well as its id. */
export const isNamed = (noun: string): boolean =>
  noun === 'address' || NAMED.some(({ field }) => field === `${noun}_id`);

/**
 * The given text stays when nothing has this name: the API says so.
 * @throws Failure when several have it
 */
export async function idOfName(call: Call, field: string, given: string): Promise<string> {
  const noun = NAMED.find((one) => one.field === field);
  if (noun === undefined || given.startsWith(noun.begin)) return given;
  const found: string[] = [];
  for (let offset = 0, isLast = false; !isLast; offset += PAGE) {
    const query = noun.field === 'domain_id' ? { limit: PAGE, offset } : undefined; // the others have one page
    const { data } = await call(noun.all, { query });
    const rows = data as readonly (Fields & { id: string })[];
    found.push(...rows.filter((row) => row[noun.named] === given).map(({ id }) => id));
    isLast = query === undefined || data.length < PAGE;
  }
  if (found.length > 1) throw usageFault(`${given} has several ids: ${found.join(', ')}`);
  return found[0] ?? given;
}

async function withIdOfName(call: Call, params: Fields | undefined): Promise<Fields | undefined> {
  const [field] = NAMED.map((one) => one.field).filter((one) => params?.[one] !== undefined);
  if (field === undefined) return params;
  return { ...params, [field]: await idOfName(call, field, String(params?.[field])) };
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
