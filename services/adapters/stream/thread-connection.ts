/** A thread's own connection to the buckets: large payloads on the wire keep no other mail waiting. Its process has another, which tells of outages. */
import { type Bodies, createBodies } from './bodies.ts';
import { createLog } from '../process/log.ts';
import { openMailStreams } from './mail-store.ts';
import { connectNats, type NatsOptions } from './connection.ts';

export type OwnBuckets = { bodies: Bodies; rawMails: Bodies };

/** Connects when first asked, and again after a failure. The buckets must be there: see streams.ts. */
export function ownBuckets(options: NatsOptions): () => Promise<OwnBuckets> {
  let opened: Promise<OwnBuckets> | undefined;
  return () => {
    opened ??= open(options);
    opened.catch(() => (opened = undefined));
    return opened;
  };
}

async function open(options: NatsOptions): Promise<OwnBuckets> {
  const { bodies, rawMails } = await openMailStreams(
    await connectNats(options, createLog('silent')),
  );
  return { bodies: createBodies(bodies), rawMails: createBodies(rawMails) };
}
