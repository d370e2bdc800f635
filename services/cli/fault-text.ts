/** The text of an error: its message, then the messages of its causes. */

export function causesOf(error: unknown): string {
  const messages: string[] = [];
  for (let next: unknown = error; next instanceof Error; next = next.cause) {
    // fetch and connect wrap the errors of several addresses
    const inner = next instanceof AggregateError ? (next.errors[0] as unknown) : undefined;
    const { message } = inner instanceof Error ? inner : next;
    if (message !== '' && !messages.includes(message)) messages.push(message);
  }
  return messages.join(': ') || String(error);
}
