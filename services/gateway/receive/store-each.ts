/**
 * Stores `together` events at the same time. After a failure it starts no more, and waits for those
 * in flight, because the memory of the email is released afterwards.
 */
export async function storeEach<T, Event>(
  receivers: readonly T[],
  together: number,
  store: (receiver: T) => Promise<Event>,
): Promise<Event[]> {
  const [only] = receivers;
  if (only !== undefined && receivers.length === 1) return [await store(only)];
  const events: Event[] = [];
  for (let from = 0; from < receivers.length; from += together) {
    const results = await Promise.allSettled(receivers.slice(from, from + together).map(store));
    for (const result of results) {
      if (result.status === 'rejected') throw result.reason;
      events.push(result.value);
    }
  }
  return events;
}
