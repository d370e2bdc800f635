/** One open stream: resumes, then passes on live events that its caller may see. */
import type { IncomingMessage, ServerResponse } from 'node:http';

import { type AddressCaller, may } from '../../core/token/token.ts';
import { type Cursor, type LiveEvent, parseCursor } from '../../core/event/live-event.ts';
import { timestamp } from '../../core/time/timestamp.ts';
import type { RecheckReach } from '../http/reach.ts';
import type { Connection, Slots } from '../http/limits/slots.ts';
import { type EventWriter, eventText, gapSince, writeEvents } from '../http/output/event-stream.ts';
import type { ReadHistory } from './history.ts';
import type { Hub, Watch } from './hub.ts';

type StreamFilter = {
  addressId: string | undefined;
  receiverId: string | undefined;
  types: ReadonlySet<string> | undefined;
  /** Events since then are sent first; undefined: only new ones. */
  since: Date | undefined;
};

type StreamCall = {
  caller: AddressCaller;
  request: IncomingMessage;
  connection: Connection;
};

type StreamResponseDependencies = {
  hub: Hub;
  slots: Slots;
  history: ReadHistory;
  recheck: RecheckReach;
  heartbeatMs: number;
};

/** A stream ends within ten seconds of its token or session: the check itself takes time, too. */
const RECHECK_MS = 8_000;
/** Older events are not sent. */
const HISTORY_MAX_MS = 3_600_000;
/** Counted for the past while it is read. */
const READ_BYTES = 4 * 1024 * 1024;
/** Live events that arrive while the past is sent. */
const BUFFERED_MAX = 1_000;

export const createStreamResponse = ({
  hub,
  slots,
  history,
  recheck,
  heartbeatMs,
}: StreamResponseDependencies) =>
  /** Resolves when the stream can start. @throws AppError when there are too many watchers */
  async function startStream(
    { caller, request, connection }: StreamCall,
    filter: StreamFilter,
  ): Promise<(response: ServerResponse) => void> {
    const slot = slots.take(caller.account_id, connection);
    let identity = caller;
    let writer: EventWriter | undefined;
    let isOver = false;
    /** Undefined once the past is sent. */
    let buffered: { event: LiveEvent; cursor: string }[] | undefined = [];
    let missedSince: Date | undefined;
    /** Keys of the events of the past. */
    const sent = new Set<string>();

    const isWanted = (event: LiveEvent): boolean =>
      event.environment === caller.environment &&
      may(identity, event.permission) &&
      (filter.types === undefined || filter.types.has(event.type)) &&
      (filter.addressId === undefined || filter.addressId === event.addressId) &&
      (filter.receiverId === undefined || filter.receiverId === event.receiverId);

    const end = (): void => {
      isOver = true;
      writer?.end();
    };

    const watch = await hub.watch(() => identity, {
      receive: (event, cursor) => {
        if (!isWanted(event)) return;
        if (buffered === undefined) writer?.send(event.view, cursor);
        else if (buffered.length < BUFFERED_MAX) buffered.push({ event, cursor });
        else missedSince ??= hub.clock();
      },
      missed: (since) => {
        if (buffered === undefined) writer?.missed(since);
        else missedSince ??= since;
      },
      end,
    });
    connection.onClose(() => {
      isOver = true;
      watch[Symbol.dispose]();
    });

    const begin = () => slot.hold(READ_BYTES);

    /** Sends what happened since then. False when events are missing. */
    const sendSince = async (from: Cursor | Date, to: EventWriter): Promise<boolean> => {
      try {
        const past = await history(identity, { from, isWanted, begin });
        const texts = past.events.map(({ event, cursor }) => eventText(event.view, cursor));
        slot.hold(texts.reduce((bytes, { length }) => bytes + 2 * length, 0)); // UTF-16
        for (const { event } of past.events) sent.add(event.key);
        await to.sendPast(texts);
        return past.isComplete;
      } catch {
        return false; // it cannot be read now, or there is no room for it
      } finally {
        slot.hold(0);
      }
    };

    const resume = async (to: EventWriter, watching: Watch): Promise<void> => {
      const lastId = request.headers['last-event-id'];
      const earliest = new Date(hub.clock().getTime() - HISTORY_MAX_MS);
      const { since } = filter;
      const isTooOld = since !== undefined && since < earliest;
      // reported first: a client can then show all in order
      if (lastId === undefined && isTooOld) await to.sendPast([eventText(gapSince(since))]);
      const from =
        lastId === undefined ? (isTooOld ? earliest : since) : parseCursor(String(lastId));
      if (from === undefined && lastId !== undefined) missedSince ??= hub.clock();
      if (from !== undefined && !(await sendSince(from, to)))
        missedSince ??= from instanceof Date ? from : new Date(from.t);
      const meanwhile = buffered ?? [];
      buffered = undefined;
      for (const { event, cursor } of meanwhile)
        if (!sent.has(event.key)) to.send(event.view, cursor);
      sent.clear();
      if (missedSince) to.missed(missedSince);
      to.sendAlways({ type: 'stream.ready', at: timestamp(hub.clock()) }, watching.cursor());
    };

    const check = async (): Promise<void> => {
      const now = await recheck(request);
      if (now === undefined || now.accountIsSuspended) end();
      else identity = now.identity;
    };

    return function stream(response) {
      if (response.closed) return;
      const timer = setInterval(() => {
        check().catch(() => undefined); // the database is away: the next check decides
      }, RECHECK_MS);
      connection.onClose(() => clearInterval(timer));
      const opened = writeEvents(response, {
        heartbeatMs,
        isBrowser: identity.session !== undefined,
        streams: () => slots.taken(),
      });
      writer = opened;
      if (isOver) return opened.end();
      void resume(opened, watch);
    };
  };
