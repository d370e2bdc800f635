/** Messages of one round of the event loop are sent to another thread together: each costs as much. */

export type Outbox<Message> = {
  add: (message: Message) => void;
  /** Sends now. */
  flush: () => void;
};

export function createOutbox<Message>(send: (messages: Message[]) => void): Outbox<Message> {
  let waiting: Message[] = [];
  const flush = () => {
    if (waiting.length === 0) return;
    const messages = waiting;
    waiting = [];
    send(messages);
  };
  return {
    add: (message) => {
      if (waiting.push(message) === 1) setImmediate(flush);
    },
    flush,
  };
}
