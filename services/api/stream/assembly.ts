/** Assembles what the API needs for live events. */
import type { Stores } from '../../adapters/mongo/stores.ts';
import type { Log } from '../../adapters/process/log.ts';
import { createLiveHeaders, type LiveHeaders } from '../../adapters/stream/events/live-headers.ts';
import type { MailStreams, ReplayStore } from '../../adapters/stream/replay.ts';
import type { ApiConfig } from '../process/config.ts';
import { watchersPerAccount } from '../../platform/settings/stream.ts';
import { AppError } from '../../core/app-error.ts';
import type { RecheckReach } from '../http/reach.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createSlots, PAST_BYTES, type Slots } from '../http/limits/slots.ts';
import { createHistory } from './history.ts';
import { createHub, type Hub } from './hub.ts';
import { streamEndpoints } from './stream-endpoints.ts';

const RETRY_AFTER_SECONDS = 5;

type StreamDependencies = {
  stores: Pick<Stores, 'addresses' | 'recentEvents' | 'receiversInScope'>;
  streams: MailStreams;
  store: Pick<ReplayStore, 'payload'>;
  downloads: Slots;
  recheck: RecheckReach;
  clock: () => Date;
  heartbeatMs: number;
};

export function assembleStream(
  config: ApiConfig,
  { stores, streams, store, downloads, recheck, clock, heartbeatMs }: StreamDependencies,
  log: Log,
): AsyncDisposable & { endpoints: Endpoint[]; hub: Hub } {
  const { addresses, recentEvents: recent } = stores;
  const perAccount = watchersPerAccount(config);
  const slots = createSlots({
    perProcess: { slots: config.STREAM_WATCHERS, bytes: PAST_BYTES.perProcess },
    perHolder: { slots: perAccount, bytes: PAST_BYTES.perHolder },
    refusal: () =>
      new AppError(
        'rate_limit_exceeded',
        `The account has ${perAccount} open streams on this server. Close one, or wait`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      ),
  });
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
