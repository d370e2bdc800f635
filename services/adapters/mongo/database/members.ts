/**
 * The members of the MongoDB of a connection string, each asked on a connection of its own: also when there is no
 * primary, and without the permissions of an administrator.
 */
import { MongoClient, type MongoClientOptions } from 'mongodb';

import { MONGODB } from '../../../core/network/deadlines.ts';
import { connectOptions } from '../../dns/sockets.ts';
import { causeChain } from '../../process/log.ts';
import { databaseOf } from './connection.ts';

export type Member = {
  host: string;
  /** `other` is neither, such as a member that starts. */
  state: 'primary' | 'secondary' | 'mongos' | 'other' | 'unreachable';
  /** When the last write that it has was made. */
  lastWriteAt?: Date | undefined;
  /** The disk of its data, in bytes. */
  disk?: { used: number; size: number };
  /** Operations of Inlet that run for more than a second. */
  slow: { op: string; collection: string; seconds: number }[];
  fault?: string;
};
/** A member, and the hosts that it names as members of its replica set. */
type Answer = { member: Member; hosts: readonly string[] };

const PARTS = /^mongodb(\+srv)?:\/\/([^@/]*@)?([^/?]+)(.*)$/;
const SLOW_SECONDS = 1;

/** A member that does not respond within two seconds is unreachable. */
export async function readMembers(uri: string, caFile: string | undefined): Promise<Member[]> {
  const [, isSrv, credentials = '', hosts = '', rest = ''] = PARTS.exec(uri) ?? [];
  const tls = isSrv !== undefined || caFile !== undefined;
  const options: MongoClientOptions = {
    appName: 'inlet',
    ...MONGODB,
    ...(tls && { tls }),
    ...(caFile !== undefined && { tlsCAFile: caFile }),
  };
  const direct = (host: string) =>
    readMember(host, `mongodb://${credentials}${host}${rest}`, {
      ...options,
      directConnection: true,
    });
  const first = await (isSrv === undefined
    ? Promise.all(hosts.split(',').map(direct))
    : readMember(hosts, uri, options).then((one) => [one]));
  const known = new Set(first.map(({ member }) => member.host));
  const named = new Set(first.flatMap((one) => one.hosts)).difference(known);
  const found = [...first, ...(await Promise.all([...named].map(direct)))];
  return found.map(({ member }) => member);
}

async function readMember(host: string, uri: string, options: MongoClientOptions): Promise<Answer> {
  const client = new MongoClient(uri, {
    ...options,
    ...connectOptions(MONGODB.connectTimeoutMS),
  });
  try {
    const admin = client.db('admin');
    const hello = await admin.command({ hello: 1 });
    const database = databaseOf(uri);
    const stats = await client.db(database).command({ dbStats: 1 });
    const { inprog } = await admin.command({ currentOp: 1, $ownOps: true });
    const member: Member = {
      host: String(hello.me ?? host),
      state: stateOf(hello),
      lastWriteAt: (hello.lastWrite as { lastWriteDate?: Date } | undefined)?.lastWriteDate,
      // a database without documents has no figures
      ...(stats.fsTotalSize > 0 && {
        disk: { used: Number(stats.fsUsedSize), size: Number(stats.fsTotalSize) },
      }),
      slow: (inprog as { op: string; ns: string; secs_running?: number }[])
        .map(({ op, ns, secs_running: seconds = 0 }) => ({ op, collection: ns, seconds }))
        .filter(
          ({ collection, seconds }) =>
            collection.startsWith(`${database}.`) && seconds > SLOW_SECONDS, // not replication
        ),
    };
    return { member, hosts: (hello.hosts as string[] | undefined) ?? [] };
  } catch (cause) {
    const member: Member = { host, state: 'unreachable', slow: [], fault: causeChain(cause) };
    return { member, hosts: [] };
  } finally {
    await client.close();
  }
}

function stateOf(hello: { msg?: string; isWritablePrimary?: boolean; secondary?: boolean }) {
  if (hello.msg === 'isdbgrid') return 'mongos';
  if (hello.isWritablePrimary) return 'primary';
  return hello.secondary ? 'secondary' : 'other';
}
