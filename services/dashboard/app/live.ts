/** The live stream of the API: what happens in the account while this page is open. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

import type { Delivery, DeliveryListItem } from './api-types.golden.ts';
import { session } from './session.ts';

type Attempt = Delivery['attempts'][number];

export type LiveEvent =
  | { type: 'email.received'; at: string; event_id: string; delivery: DeliveryListItem }
  | {
      type: 'webhook.retrying' | 'webhook.delivered' | 'webhook.failed';
      at: string;
      event_id: string;
      attempt: Attempt;
      delivery: DeliveryListItem;
    }
  | {
      type: `address.${'created' | 'updated' | 'deleted' | 'expired' | 'failing' | 'recovered'}`;
      at: string;
      address_id: string;
    }
  | { type: `token.${'created' | 'deleted'}`; at: string; token_id: string }
  | { type: 'stream.gap'; at: string }
  | { type: 'stream.ready'; at: string };

const TYPES: readonly LiveEvent['type'][] = [
  'email.received',
  'webhook.retrying',
  'webhook.delivered',
  'webhook.failed',
  'address.created',
  'address.updated',
  'address.deleted',
  'address.expired',
  'address.failing',
  'address.recovered',
  'token.created',
  'token.deleted',
  'stream.gap',
  'stream.ready',
];

/** Whether events arrive. Lists reload when the stream is back after a gap. */
export const isLive = signal(false);

const listeners = new Set<(event: LiveEvent) => void>();

/** One connection for the page. The browser reconnects with `Last-Event-ID`. */
export function startLive(): void {
  let source: EventSource | undefined;
  session.subscribe((now) => {
    source?.close();
    isLive.value = false;
    if (!now) return;
    source = new EventSource('/v1/stream');
    source.addEventListener('open', () => void (isLive.value = true));
    source.addEventListener('error', () => void (isLive.value = false));
    for (const type of TYPES)
      source.addEventListener(type, ({ data }: MessageEvent<string>) => {
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
