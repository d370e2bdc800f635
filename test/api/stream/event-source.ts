/** A client of GET /stream that reads events one after another. */
import { until } from '../../support/until.ts';
import type { TestApi } from '../../support/start-api.ts';

export type StreamEvent = {
  type: string;
  id: string | undefined;
  data: Record<string, unknown>;
  /** When the client had it, in milliseconds since 1970. */
  at: number;
};

export type EventSource = AsyncDisposable & {
  status: number;
  contentType: string | null;
  events: StreamEvent[];
  heartbeats(): number;
  isOver(): boolean;
  /** Waits for the n-th event of this type, from 1. */
  nth(type: string, n?: number): Promise<StreamEvent>;
};

export async function openStream(
  api: Pick<TestApi, 'url' | 'token'>,
  {
    query = '',
    headers = { authorization: `Bearer ${api.token}` },
  }: { query?: string; headers?: Record<string, string> } = {},
): Promise<EventSource> {
  const abort = new AbortController();
  const response = await fetch(`${api.url}/v1/stream${query}`, { headers, signal: abort.signal });
  const events: StreamEvent[] = [];
  let pings = 0;
  let isOver = false;
  const read = async () => {
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        if (block.startsWith(': ping')) pings++;
        const field = (name: string) =>
          block
            .split('\n')
            .find((line) => line.startsWith(`${name}: `))
            ?.slice(name.length + 2);
        const data = field('data');
        if (data !== undefined)
          events.push({
            type: field('event') ?? '',
            id: field('id'),
            data: JSON.parse(data) as Record<string, unknown>,
            at: Date.now(),
          });
      }
    }
  };
  const reading = read()
    .catch(() => undefined)
    .finally(() => (isOver = true));
  return {
    status: response.status,
    contentType: response.headers.get('content-type'),
    events,
    heartbeats: () => pings,
    isOver: () => isOver,
    nth: (type, n = 1) =>
      until(
        `${type} ${n} in the stream`,
        async () => events.filter((event) => event.type === type)[n - 1],
      ),
    [Symbol.asyncDispose]: async () => {
      abort.abort();
      await reading;
    },
  };
}
