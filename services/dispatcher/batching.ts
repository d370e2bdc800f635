/** Gathers single requests into batches, one batch under way at a time: while one is written, the next one grows. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Adds an item to the next batch; resolves with its result. */
export type Batching<In, Out> = (item: In) => Promise<Out>;

type Options = {
  /** Items of one batch. */
  maxItems: number;
  /** How long a batch waits to be filled. */
  lingerMs: number;
};

/** @param run gets the items of a batch and returns one result for each, in order; when it rejects, all items of the batch do */
export function createBatching<In, Out>(
  run: (items: In[]) => Promise<Out[]>,
  { maxItems, lingerMs }: Options,
): Batching<In, Out> {
  let queue: { item: In; resolve: (out: Out) => void; reject: (error: unknown) => void }[] = [];
  let isRunning = false;

  const drain = async () => {
    isRunning = true;
    while (queue.length > 0) {
      if (queue.length < maxItems) await sleep(lingerMs);
      const batch = queue.slice(0, maxItems);
      queue = queue.slice(maxItems);
      try {
        const results = await run(batch.map(({ item }) => item));
        for (const [i, { resolve }] of batch.entries()) resolve(results[i] as Out);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isRunning = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (!isRunning) void drain();
    });
}
