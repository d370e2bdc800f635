/** The sender lists that expressions name, for tests of expressions and rules. */
import { senderListKey, type SenderLists } from '../../adapters/mongo/addresses/sender-lists.ts';
import { senderLists, type SenderLists as ListsByName } from '../../core/expression/sender-list.ts';
import { listsIn } from '../../core/rules/rules.ts';

/** Lists that do not exist are missing, as in a gateway. */
export type ListsOf = (accountId: string, expressions: readonly string[]) => Promise<ListsByName>;

export const createListsOf = ({ entriesOf }: Pick<SenderLists, 'entriesOf'>): ListsOf =>
  async function listsOf(accountId, expressions) {
    const found = await Promise.all(
      listsIn(expressions).map(async (name) => {
        const entries = await entriesOf(senderListKey(accountId, name));
        return entries === undefined ? [] : [[name, entries] as const];
      }),
    );
    return senderLists(new Map(found.flat()));
  };
