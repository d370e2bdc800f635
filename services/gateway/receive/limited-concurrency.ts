/**
 * Handles `together` recipients at the same time. After a failure it starts no more, and waits for
 * those in flight, because the memory of the email is released afterwards.
 */
export async function mapInGroups<T, Result>(
  recipients: readonly T[],
  together: number,
  handle: (recipient: T, at: number) => Promise<Result>,
): Promise<Result[]> {
  const [only] = recipients;
  if (only !== undefined && recipients.length === 1) return [await handle(only, 0)];
  const results: Result[] = [];
  for (let from = 0; from < recipients.length; from += together) {
    const settled = await Promise.allSettled(
      recipients.slice(from, from + together).map((one, at) => handle(one, from + at)),
    );
    for (const result of settled) {
      if (result.status === 'rejected') throw result.reason;
      results.push(result.value);
    }
  }
  return results;
}
