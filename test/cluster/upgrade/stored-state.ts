/**
 * Indexes, streams, buckets and consumers: those of a release, and those that the services of this
 * checkout create on new servers.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { StreamsConfig } from '../../../services/adapters/stream/events/streams.ts';
import { until } from '../../support/until.ts';
import { startWholeSystem } from '../../support/start-standalone.ts';
import type { Namespace } from '../kubectl.ts';

export type StoredState = {
  /** Definitions by collection and name. Collections without an index of their own are absent. */
  indexes: Record<string, Record<string, object>>;
  /** A bucket is a stream whose name begins with `OBJ_`. */
  streams: Record<string, object>;
  /** Durable ones, by stream and name. Others exist while something is read. */
  consumers: Record<string, object>;
};

/** The settings of streams that the reading process has in its environment. */
type Settings = Record<string, string>;

const CHECKOUT = join(import.meta.dirname, '..', '..', '..');
/** The folder of the services in the image. */
const IN_IMAGE = '/app';
const run = promisify(execFile);

/** Runs with the environment of a service. Its arguments are the folder with node_modules and `Settings`. */
const READ = `(async ([folder, names]) => {
  const load = require('node:module').createRequire(folder + '/package.json');
  const client = await load('mongodb').MongoClient.connect(process.env.MONGODB_URI);
  const { NATS_URL: servers, NATS_USER: user, NATS_PASSWORD: pass } = process.env;
  const connection = await load('@nats-io/transport-node').connect({ servers: servers.split(','), user, pass });
  const manager = await load('@nats-io/jetstream').jetstreamManager(connection);
  const state = { indexes: {}, streams: {}, consumers: {} };
  for (const { name } of await client.db().listCollections({}, { nameOnly: true }).toArray())
    for (const { v, ...index } of await client.db().collection(name).indexes())
      if (index.name !== '_id_') (state.indexes[name] ??= {})[index.name] = index;
  for await (const { config: { metadata, ...stream } } of manager.streams.list()) {
    state.streams[stream.name] = stream;
    for await (const { config: { metadata, ...consumer } } of manager.consumers.list(stream.name))
      if (consumer.durable_name && !consumer.inactive_threshold)
        state.consumers[stream.name + ' ' + consumer.durable_name] = consumer;
  }
  const settings = names.split(',').flatMap((name) => process.env[name] ? [[name, process.env[name]]] : []);
  console.log(JSON.stringify({ state, settings: Object.fromEntries(settings) }));
  await Promise.all([client.close(), connection.close()]);
})(process.argv.slice(1))`;

const command = (folder: string) => ['-e', READ, folder, Object.keys(StreamsConfig).join(',')];

/** Of a release, read in one of its dispatchers. */
export async function stateInCluster(
  namespace: Namespace,
  release: string,
): Promise<{ state: StoredState; settings: Settings }> {
  const pod = ['exec', `deploy/${release}-dispatcher`, '--', 'node'];
  return JSON.parse(await namespace.run(...pod, ...command(IN_IMAGE)));
}

/** Of this checkout on new servers. */
export async function newState(settings: Settings): Promise<StoredState> {
  await using system = await startWholeSystem(settings);
  const { nats_url, mongodb_uri } = system.standalone.state();
  const database = new URL(mongodb_uri);
  database.pathname = '/inlet';
  const env = { ...process.env, NATS_URL: nats_url, MONGODB_URI: database.href };
  return await until('consumers of all lanes', async () => {
    const { stdout } = await run(process.execPath, command(CHECKOUT), { env });
    const { state } = JSON.parse(stdout) as { state: StoredState };
    const joined = new Set(Object.keys(state.consumers).map((name) => name.split(' ')[0]));
    const lanes = Object.keys(state.streams).filter((name) => /^(MAIL|RETRY)-/.test(name));
    return lanes.every((lane) => joined.has(lane)) ? state : undefined;
  });
}
