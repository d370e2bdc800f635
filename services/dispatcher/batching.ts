/**
 * Collects single requests into batches. One batch runs at a time; meanwhile the next one fills.
 */

/** Adds an item to the next batch and resolves with its result. */
export type Batching<In, Out> = (item: In) => Promise<Out>;

type Options = {
  /** Most items of one batch. With so many it does not wait. */
  maxItems: number;
  /** How long a batch waits for more items. */
  lingerMs: number;
};

/**
 * @param run returns one result per item of a batch, in order. If it rejects, every item rejects.
 */
export function createBatching<In, Out>(
  run: (items: In[]) => Promise<Out[]>,
  { maxItems, lingerMs }: Options,
): Batching<In, Out> {
  let queue: { item: In; resolve: (out: Out) => void; reject: (error: unknown) => void }[] = [];
  let isRunning = false;
  let endLinger: (() => void) | undefined;

  const linger = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, lingerMs);
      endLinger = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const drain = async () => {
    isRunning = true;
    while (queue.length > 0) {
      if (queue.length < maxItems) await linger();
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
      else if (queue.length >= maxItems) endLinger?.();
    });
}
