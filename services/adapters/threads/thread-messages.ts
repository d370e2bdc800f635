/** Messages of one round of the event loop are sent to another thread together: each costs as much. */

export type ThreadMessages<Message> = {
  add: (message: Message) => void;
  /** Sends now. */
  flush: () => void;
  /** Adds a message. Resolves when it has been sent. */
  sent: (message: Message) => Promise<void>;
};

export function createThreadMessages<Message>(
  send: (messages: Message[]) => void,
): ThreadMessages<Message> {
  let waiting: Message[] = [];
  let round: PromiseWithResolvers<void> | undefined;
  const flush = () => {
    if (waiting.length === 0) return;
    const [messages, ended] = [waiting, round];
    [waiting, round] = [[], undefined];
    send(messages);
    ended?.resolve();
  };
  const add = (message: Message) => {
    if (waiting.push(message) === 1) setImmediate(flush);
  };
  return {
    add,
    flush,
    sent: (message) => {
      add(message);
      round ??= Promise.withResolvers();
      return round.promise;
    },
  };
}
