/** The sender lists that expressions name: a gateway reads them from its cache, the API from MongoDB. */
import { senderListKey } from '../../adapters/mongo/list/sender-lists.ts';
import { listsIn } from '../../core/text/expression-text.ts';

/** The entries by the name of the list. A list that does not exist is missing. */
export type ListsInUse = (
  accountId: string,
  expressions: readonly string[],
) => Promise<ReadonlyMap<string, ReadonlySet<string>>>;

/** @param entriesOf the entries of a list, by {@link senderListKey} */
export const createListsInUse = (
  entriesOf: (key: string) => Promise<ReadonlySet<string> | undefined>,
): ListsInUse =>
  async function listsInUse(accountId, expressions) {
    const found = await Promise.all(
      listsIn(expressions).map(async (name) => {
        const entries = await entriesOf(senderListKey(accountId, name));
        return entries === undefined ? [] : [[name, entries] as const];
      }),
    );
    return new Map(found.flat());
  };
