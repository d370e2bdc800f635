/** Indexes and streams of a release, read in a pod of its API. */
import { accountIndexes } from '../../../services/adapters/mongo/accounts.ts';
import { addressIndexes } from '../../../services/adapters/mongo/address-documents.ts';
import { contentIndexes } from '../../../services/adapters/mongo/metering/delivery-contents.ts';
import { deliveryIndexes } from '../../../services/adapters/mongo/deliveries.ts';
import { dueIndexes } from '../../../services/adapters/mongo/delivery-records.ts';
import { domainIndexes } from '../../../services/adapters/mongo/domain-documents.ts';
import { usageEventIndexes } from '../../../services/adapters/mongo/metering/events.ts';
import { tokenIndexes } from '../../../services/adapters/mongo/tokens.ts';
import type { Namespace } from '../kubectl.ts';

/** A Deployment whose pods have the settings of the release. */
export type Pods = { namespace: Namespace; deployment: string };

/** The names of the indexes of each collection. */
export type Indexes = Record<string, string[]>;

/** Of collections that every version has. */
const INDEXES = [
  accountIndexes,
  addressIndexes,
  contentIndexes,
  deliveryIndexes,
  domainIndexes,
  dueIndexes,
  tokenIndexes,
  usageEventIndexes,
];

/** Runs JavaScript, which prints JSON. */
const evaluate = async <T>({ namespace, deployment }: Pods, script: string): Promise<T> =>
  JSON.parse(await namespace.run('exec', `deploy/${deployment}`, '--', 'node', '-e', script)) as T;

export const indexesInDatabase = (pods: Pods): Promise<Indexes> =>
  evaluate(
    pods,
    `(async () => {
      const { MongoClient } = require('/app/node_modules/mongodb');
      const client = await MongoClient.connect(process.env.MONGODB_URI);
      const found = {};
      for (const { name } of await client.db().listCollections({}, { nameOnly: true }).toArray())
        found[name] = (await client.db().collection(name).indexes()).map((index) => index.name).sort();
      await client.close();
      console.log(JSON.stringify(found));
    })()`,
  );

/** What the services of this checkout create. */
export function indexesWanted(): Indexes {
  const wanted: Record<string, Set<string>> = {};
  for (const { collection, indexes } of INDEXES)
    for (const { name, key } of indexes)
      (wanted[collection] ??= new Set(['_id_'])).add(
        name ?? Object.entries(key).flat().join('_'), // the name that MongoDB gives
      );
  return Object.fromEntries(
    Object.entries(wanted).map(([collection, names]) => [collection, [...names].toSorted()]),
  );
}

export const streamConfig = (pods: Pods, stream: string): Promise<Record<string, unknown>> =>
  evaluate(
    pods,
    `(async () => {
      const { connect } = require('/app/node_modules/@nats-io/transport-node');
      const { NATS_URL: servers, NATS_USER: user, NATS_PASSWORD: pass } = process.env;
      const connection = await connect({ servers: servers.split(','), user, pass });
      const reply = await connection.request('$JS.API.STREAM.INFO.${stream}');
      console.log(JSON.stringify(reply.json().config));
      await connection.close();
    })()`,
  );
