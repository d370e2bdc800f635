/**
 * Runs what several requests need at the same time as one operation. A request that arrives while
 * an operation is in flight joins the next one, so no result is older than its request.
 */

export type RunTogether<Item, Result> = (item: Item) => Promise<Result>;

const DEFAULT_MAX = 100;

type Batch<Item, Result> = { items: Item[]; results: Promise<readonly Result[]> };

/**
 * @param run resolves with one result for each item, in order; if it rejects, all items fail
 * @param max items of one operation
 */
export function createBatches<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  max = DEFAULT_MAX,
): RunTogether<Item, Result> {
  let next: Batch<Item, Result> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const begin = (): Batch<Item, Result> => {
    const items: Item[] = [];
    const results = last.then(() => {
      if (next?.items === items) next = undefined;
      return run(items);
    });
    last = results.catch(() => undefined); // each caller receives the error itself
    return { items, results };
  };

  return async function runTogether(item) {
    if (next === undefined || next.items.length >= max) next = begin();
    const { items, results } = next;
    const index = items.push(item) - 1;
    return (await results)[index] as Result;
  };
}
