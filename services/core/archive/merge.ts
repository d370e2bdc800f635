/** The records of several files as one sequence, each record once. */

/** A file whose records are in the order of their ids, and the least of these. */
type MergedFile<T> = { first_id: string; open(): AsyncIterator<T> };

type Cursor<T> = { current: T; rest: AsyncIterator<T> };

/**
 * Yields the records in the order of their ids. A record that changed between the storing of its file
 * and its deletion is in two files: only its last version is yielded. Only files whose ranges overlap
 * are open at the same time.
 * @param files in the order of their first ids
 * @param isNewer whether the first record is a later version of the second one
 */
export async function* mergedById<T extends { id: string }>(
  files: AsyncIterable<MergedFile<T>>,
  isNewer: (one: T, other: T) => boolean,
): AsyncGenerator<T> {
  const waiting = files[Symbol.asyncIterator]();
  let next = await waiting.next();
  let cursors: Cursor<T>[] = [];
  try {
    for (;;) {
      let least = leastOf(cursors);
      while (!next.done && (least === undefined || next.value.first_id <= least.current.id)) {
        const rest = next.value.open();
        const first = await rest.next();
        if (!first.done) cursors.push({ current: first.value, rest });
        next = await waiting.next();
        least = leastOf(cursors);
      }
      if (least === undefined) return;
      const { id } = least.current;
      const same = cursors.filter(({ current }) => current.id === id);
      yield same.map(({ current }) => current).reduce((a, b) => (isNewer(b, a) ? b : a));
      for (const cursor of same) {
        const { done, value } = await cursor.rest.next();
        if (done) cursors = cursors.filter((one) => one !== cursor);
        else cursor.current = value;
      }
    }
  } finally {
    await waiting.return?.();
    for (const { rest } of cursors) await rest.return?.();
  }
}

const leastOf = <T extends { id: string }>(cursors: readonly Cursor<T>[]): Cursor<T> | undefined =>
  cursors.reduce<Cursor<T> | undefined>(
    (least, one) => (least === undefined || one.current.id < least.current.id ? one : least),
    undefined,
  );
