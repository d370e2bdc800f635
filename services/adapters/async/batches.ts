/**
 * Runs what several requests need at the same time as one operation. A request that arrives while
 * an operation is in flight joins the next one, so no result is older than its request.
 */
import { setTimeout as sleep } from 'node:timers/promises';

type RunTogether<Item, Result> = (item: Item) => Promise<Result>;

type Options = {
  /** Maximum batch size. A full batch runs without lingering. */
  max?: number;
  /** How long a batch waits for more items before it runs. */
  lingerMs?: number;
};

const DEFAULT_MAX = 100;

/** @param run resolves with one result for each item, in order; if it rejects, all items fail */
export function createBatches<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  { max = DEFAULT_MAX, lingerMs = 0 }: Options = {},
): RunTogether<Item, Result> {
  type Batch = { items: Item[]; results: Promise<readonly Result[]>; full: AbortController };
  let next: Batch | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const begin = (): Batch => {
    const items: Item[] = [];
    const full = new AbortController();
    const results = last.then(async () => {
      if (lingerMs > 0 && items.length < max)
        await sleep(lingerMs, undefined, { signal: full.signal }).catch(() => undefined);
      if (next?.items === items) next = undefined;
      return run(items);
    });
    last = results.catch(() => undefined); // each caller receives the error itself
    return { items, results, full };
  };

  return async function runTogether(item) {
    if (next === undefined || next.items.length >= max) next = begin();
    const { items, results, full } = next;
    const index = items.push(item) - 1;
    if (items.length === max) full.abort();
    return (await results)[index] as Result;
  };
}
