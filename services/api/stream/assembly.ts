/** Assembles what the API needs for live events. */
import type { Stores } from '../../adapters/mongo/stores.ts';
import type { Log } from '../../adapters/process/log.ts';
import { createLiveHeaders, type LiveHeaders } from '../../adapters/stream/events/live-headers.ts';
import type { MailStreams } from '../../adapters/stream/replay.ts';
import type { ApiStore } from '../content/store-for-api.ts';
import type { RecheckReach } from '../http/reach.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createSlots, type Slots, watcherLimits } from '../http/limits/slots.ts';
import { createHistory } from './history.ts';
import { createHub, type Hub } from './hub.ts';
import { streamEndpoints } from './stream-endpoints.ts';

type StreamDependencies = {
  stores: Pick<Stores, 'addresses' | 'recentEvents' | 'receiversInScope'>;
  streams: MailStreams;
  store: Pick<ApiStore, 'payload'>;
  downloads: Slots;
  recheck: RecheckReach;
  clock: () => Date;
  heartbeatMs: number;
  /** Open streams of this process. */
  watchers: number;
};

export function assembleStream(
  { stores, streams, store, downloads, recheck, clock, heartbeatMs, watchers }: StreamDependencies,
  log: Log,
): AsyncDisposable & { endpoints: Endpoint[]; hub: Hub } {
  const { addresses, recentEvents: recent } = stores;
  const slots = createSlots(watcherLimits(watchers, 'streams'));
  const hub: Hub = createHub({ feed: () => feed, recent, clock }, log);
  const feed: LiveHeaders = createLiveHeaders(streams, hub.onMail, hub.onLost, log);
  return {
    hub,
    endpoints: streamEndpoints({
      hub,
      slots,
      downloads,
      store,
      history: createHistory(feed, recent, stores.receiversInScope),
      feed,
      recent,
      addresses,
      recheck,
      heartbeatMs,
    }),
    [Symbol.asyncDispose]: async () => {
      await hub[Symbol.asyncDispose]();
      await feed[Symbol.asyncDispose]();
    },
  };
}
