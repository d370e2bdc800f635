/** The live stream of the API: what happens in the account while this page is open. */
import { useEffect, useRef } from 'preact/hooks';

import type { LiveEvent } from '../../core/api/api-types.generated.ts';
import { whenNoResponse } from '../client/api.ts';
import { isLive } from '../client/is-live.ts';
import { mayBeLive, session } from './session.ts';

/** The browser needs each name to listen. The compiler compares them with the API's. */
const TYPES = Object.keys({
  'email.received': true,
  'webhook.retrying': true,
  'webhook.delivered': true,
  'webhook.failed': true,
  'delivery.replayed': true,
  'address.created': true,
  'address.updated': true,
  'address.deleted': true,
  'address.expired': true,
  'address.failing': true,
  'address.recovered': true,
  'address.silent': true,
  'address.resumed': true,
  'token.created': true,
  'token.deleted': true,
  'stream.gap': true,
  'stream.ready': true,
} satisfies Record<LiveEvent['type'], true>);

/** Before the first heartbeat, which has the pause between two of them. */
const FIRST_PAUSE_MS = 15_000;
/** Heartbeats late by this much of their pause mean that nothing arrives any more. */
const PAUSES = 1.4;
/** A stream that has said nothing for so long is not live, whatever pause it has named. */
const SILENCE_MAX_MS = 20_000;

const listeners = new Set<(event: LiveEvent) => void>();

const setSilent = () => void (isLive.value = false);

/** One connection for the page. The browser reconnects with `Last-Event-ID`. */
export function startLive(): void {
  let source: EventSource | undefined;
  let silence: number | undefined;
  const heard = (pauseMs: number) => {
    isLive.value = true;
    clearTimeout(silence);
    silence = setTimeout(
      () => void (isLive.value = false),
      Math.min(pauseMs * PAUSES, SILENCE_MAX_MS),
    );
  };
  whenNoResponse(setSilent); // until the stream says something again
  session.subscribe((now) => {
    source?.close();
    clearTimeout(silence);
    isLive.value = false;
    if (!now || !mayBeLive()) return;
    source = new EventSource('/v1/stream');
    source.addEventListener('open', () => heard(FIRST_PAUSE_MS));
    source.addEventListener('ping', ({ data }: MessageEvent<string>) => heard(Number(data)));
    source.addEventListener('error', setSilent);
    for (const type of TYPES)
      source.addEventListener(type, ({ data }: MessageEvent<string>) => {
        heard(FIRST_PAUSE_MS);
        const event = JSON.parse(data) as LiveEvent;
        for (const listen of listeners) listen(event);
      });
  });
}

/** Runs the latest `listen` for each event while the component is shown. */
export function useLive(listen: (event: LiveEvent) => void): void {
  const latest = useRef(listen);
  latest.current = listen;
  useEffect(() => {
    const own = (event: LiveEvent) => latest.current(event);
    listeners.add(own);
    return () => void listeners.delete(own);
  }, []);
}
