/**
 * Distributes live events to the watchers of this process. Emails come from the MAIL streams when
 * they are stored; attempts and changes come from the audit trail, which is read about once a
 * second for each watched account and environment. Nothing happens while nobody watches.
 */
import type { StoredMail } from '../../adapters/stream/events/headers.ts';
import type { LiveHeaders, MailPositions } from '../../adapters/stream/events/live-headers.ts';
import type { RecentEvents } from '../../adapters/mongo/audit/recent-events.ts';
import type { Log } from '../../adapters/process/log.ts';
import {
  type AccountScope,
  type AddressScope,
  type Owned,
  ownedBy,
  reaches,
  wholeAccount,
} from '../../core/address/scope.ts';
import { unavailable } from '../../core/error/app-error.ts';
import {
  type Cursor,
  formatCursor,
  type LiveEvent,
  liveMail,
  liveUsageEvent,
} from '../../core/event/live-event.ts';

type Watcher = {
  /** @param cursor the place after this event */
  receive(event: LiveEvent, cursor: string): void;
  /** Events since this time may be missing. */
  missed(since: Date): void;
  /** The process stops. */
  end(): void;
};

export type Watch = Disposable & {
  /** The place from which on the watcher receives events. */
  cursor(): string;
};

export type Hub = AsyncDisposable & {
  /**
   * @param scopeNow the watcher receives only events of its addresses
   * @throws AppError `unavailable`
   */
  watch(scopeNow: () => AddressScope, watcher: Watcher): Promise<Watch>;
  onMail: (mail: StoredMail) => void;
  /** NATS has lost a partition, whose sequences begin again. */
  onLost: (partition: number) => void;
  clock: () => Date;
  /** Ends all watches. */
  end(): void;
};

const POLL_MS = 1_000;
/** Each watched account adds to the pause between reads, so that all reads together stay bounded. */
const POLL_MS_PER_TOPIC = 10;
/** An attempt usually ends soon after its email. */
const POLL_AFTER_MAIL_MS = 250;
/** Events are written up to this long after their time: they wait for a batch. */
const LATE_MS = 5_000;
const POLL_MAX_EVENTS = 500;

type Topic = {
  scope: AccountScope & AddressScope;
  /** Each with what it may receive. */
  watchers: Map<Watcher, () => AddressScope>;
  positions: Record<string, number>;
  readUntil: Date;
  /** Ids of events within LATE_MS, with their times. */
  sent: Map<string, number>;
  /** The time of the first of the present failures to read. */
  failingSince: Date | undefined;
  timer: NodeJS.Timeout | undefined;
  pollAt: number;
  ready: Promise<void>;
};

type HubDependencies = { feed: () => LiveHeaders; recent: RecentEvents; clock: () => Date };

export function createHub({ feed, recent, clock }: HubDependencies, log: Log): Hub {
  const topics = new Map<string, Topic>();
  let isStopped = false;

  const publish = (topic: Topic, event: LiveEvent): void => {
    const cursor = cursorOf(topic);
    for (const [watcher, scopeNow] of topic.watchers)
      if (reaches(scopeNow(), event.addressId)) watcher.receive(event, cursor);
  };

  const poll = async (topic: Topic, isFirst: boolean): Promise<void> => {
    const { scope, sent, failingSince, readUntil } = topic;
    const startedAt = clock();
    const lateSince = Math.min(readUntil.getTime(), failingSince?.getTime() ?? Infinity) - LATE_MS;
    const known = new Set(sent.keys());
    const { events, isComplete } = await recent.read(
      scope,
      new Date(lateSince),
      POLL_MAX_EVENTS,
      known,
    );
    topic.failingSince = undefined;
    if (!isComplete && !isFirst)
      for (const watcher of topic.watchers.keys()) watcher.missed(topic.readUntil);
    for (const { event, delivery } of events) {
      sent.set(event.id, event.timestamp.getTime());
      if (event.timestamp > topic.readUntil) topic.readUntil = event.timestamp;
      const live = liveUsageEvent(event, delivery);
      if (live && !isFirst) publish(topic, live);
    }
    if (isFirst && startedAt > topic.readUntil) topic.readUntil = startedAt;
    const oldest = topic.readUntil.getTime() - 2 * LATE_MS;
    for (const [id, at] of sent) if (at < oldest) sent.delete(id);
  };

  const schedule = (topic: Topic, afterMs: number): void => {
    if (isStopped || topic.watchers.size === 0) return;
    const at = performance.now() + afterMs;
    if (topic.timer !== undefined && topic.pollAt <= at) return;
    clearTimeout(topic.timer);
    topic.pollAt = at;
    topic.timer = setTimeout(() => {
      poll(topic, false)
        .catch((error: unknown) => {
          topic.failingSince ??= clock();
          log.debug('stream.not_read', { error });
        })
        .finally(() => {
          topic.timer = undefined;
          schedule(topic, Math.max(POLL_MS, topics.size * POLL_MS_PER_TOPIC));
        });
    }, afterMs);
  };

  const open = async (topic: Topic): Promise<void> => {
    const positions: MailPositions = await feed()
      .watch(topic.scope.account_id)
      .catch((cause: unknown) => {
        throw unavailable(cause);
      });
    topic.positions = { ...positions };
    await poll(topic, true);
  };

  const close = (key: string, topic: Topic): void => {
    if (topics.get(key) === topic) topics.delete(key);
    clearTimeout(topic.timer);
    topic.ready.then(
      () => feed().unwatch(topic.scope.account_id),
      () => undefined,
    );
  };

  const topicOf = (key: string, owned: Owned): Topic => {
    const known = topics.get(key);
    if (known) return known;
    const topic: Topic = {
      scope: wholeAccount(owned),
      watchers: new Map(),
      positions: {},
      readUntil: clock(),
      sent: new Map(),
      failingSince: undefined,
      timer: undefined,
      pollAt: 0,
      ready: Promise.resolve(),
    };
    topic.ready = open(topic);
    topics.set(key, topic);
    return topic;
  };

  return {
    watch: async (scopeNow, watcher) => {
      if (isStopped) throw unavailable(new Error('the process stops'));
      const owned = ownedBy(scopeNow());
      const key = keyOf(owned);
      const topic = topicOf(key, owned);
      topic.watchers.set(watcher, scopeNow);
      let isOver = false;
      const leave = () => {
        if (isOver) return;
        isOver = true;
        topic.watchers.delete(watcher);
        if (topic.watchers.size === 0) close(key, topic);
      };
      try {
        await topic.ready;
      } catch (error) {
        leave();
        throw error;
      }
      schedule(topic, POLL_MS);
      return { cursor: () => cursorOf(topic), [Symbol.dispose]: leave };
    },
    onMail: ({ event, storedAt }) => {
      const topic = topics.get(keyOf(event));
      if (topic === undefined) return;
      const { partition, sequence } = storedAt;
      if (sequence <= (topic.positions[partition] ?? 0)) return; // reported before
      topic.positions[partition] = sequence;
      publish(topic, liveMail(event, storedAt));
      schedule(topic, POLL_AFTER_MAIL_MS);
    },
    onLost: (partition) => {
      for (const topic of topics.values()) {
        topic.positions[partition] = 0;
        for (const watcher of topic.watchers.keys()) watcher.missed(topic.readUntil);
      }
    },
    clock,
    end: () => {
      isStopped = true;
      for (const { watchers } of topics.values())
        for (const watcher of watchers.keys()) watcher.end();
    },
    [Symbol.asyncDispose]: async () => {
      isStopped = true;
      for (const topic of topics.values()) clearTimeout(topic.timer);
    },
  };
}

const keyOf = ({ account_id, environment }: Owned): string => `${account_id}:${environment}`;

const cursorOf = ({ readUntil, positions }: Topic): string => {
  const cursor: Cursor = { t: readUntil.getTime(), m: positions };
  return formatCursor(cursor);
};
