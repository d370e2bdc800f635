/**
 * A thread's own connection to the streams. Large payloads delay nothing that the connection of the
 * process sends. That connection also logs outages, so this one is silent.
 */
import { onFirstCall } from '../async/first-call.ts';
import { createLog } from '../process/log.ts';
import { connectNats, type Nats, type NatsOptions } from './connection/connection.ts';
import { type MailStreams, openMailStreams } from './replay.ts';
import { BUCKET_TIMEOUT_MS } from './events/streams.ts';

type ThreadStreams = MailStreams & Pick<Nats, 'connection' | 'isConnected'>;

/**
 * Connects when first called, and again after a failure. The streams must exist: see streams.ts.
 */
export const threadStreams = (options: NatsOptions): (() => Promise<ThreadStreams>) =>
  onFirstCall(() => open(options));

async function open(options: NatsOptions): Promise<ThreadStreams> {
  const nats = await connectNats(options, createLog('silent'));
  const { connection, isConnected } = nats;
  return { ...(await openMailStreams(nats, BUCKET_TIMEOUT_MS)), connection, isConnected };
}
