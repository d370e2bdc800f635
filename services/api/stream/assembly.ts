/** Assembles what the API needs for live events. */
import type { Stores } from '../../adapters/mongo/stores.ts';
import type { Log } from '../../adapters/process/log.ts';
import { createLiveHeaders, type LiveHeaders } from '../../adapters/stream/live-headers.ts';
import type { MailStreams } from '../../adapters/stream/replay.ts';
import type { ApiConfig } from '../config.ts';
import type { Authenticate } from '../http/authentication.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createHistory } from './history.ts';
import { createHub, type Hub } from './hub.ts';
import { streamEndpoints } from './stream-endpoints.ts';

type Needs = {
  stores: Pick<Stores, 'addresses' | 'recentEvents'>;
  streams: MailStreams;
  authenticate: Authenticate;
};

export function assembleStream(
  config: ApiConfig,
  { stores, streams, authenticate }: Needs,
  log: Log,
): AsyncDisposable & { endpoints: Endpoint[]; hub: Hub } {
  const { addresses, recentEvents: recent } = stores;
  const limits = {
    perProcess: config.STREAM_WATCHERS,
    perAccount: config.STREAM_WATCHERS_PER_ACCOUNT,
  };
  const hub: Hub = createHub({ feed: () => feed, recent, limits }, log);
  const feed: LiveHeaders = createLiveHeaders(streams, hub.onMail, log);
  return {
    hub,
    endpoints: streamEndpoints({
      hub,
      history: createHistory(feed, recent),
      feed,
      recent,
      addresses,
      authenticate,
      heartbeatMs: Math.min(config.STREAM_HEARTBEAT, config.STALL_TIMEOUT / 2),
    }),
    [Symbol.asyncDispose]: async () => {
      await hub[Symbol.asyncDispose]();
      await feed[Symbol.asyncDispose]();
    },
  };
}
