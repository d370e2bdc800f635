/**
 * The shard keys of docs/scaling.md. Collections that are not here stay whole, on the primary shard
 * of the database.
 */
export type ShardKey = { field: string; isHashed: boolean };

const BY_ID: ShardKey = { field: '_id', isHashed: true };

export const SHARD_KEYS: Readonly<Record<string, ShardKey>> = {
  deliveries: BY_ID,
  notification_deliveries: BY_ID,
  events: BY_ID,
  usage_daily: { field: 'account_id', isHashed: true },
  address_names: BY_ID,
  idempotency_keys: BY_ID,
  rate_windows: BY_ID,
};

/** As `sh.shardCollection` and the server's own command take it. */
export const shardKeyOf = ({ field, isHashed }: ShardKey): Record<string, 1 | 'hashed'> => ({
  [field]: isHashed ? 'hashed' : 1,
});

/** As mongosh takes it, one line for each collection. */
export const shardCommands = (database: string): string[] =>
  Object.entries(SHARD_KEYS).map(
    ([collection, key]) =>
      `sh.shardCollection("${database}.${collection}", ${JSON.stringify(shardKeyOf(key))})`,
  );

/**
 * Whether one shard, or one for each value, answers a query: it has the value of the shard key. A
 * collection that is not sharded has one shard.
 */
export const namesShard = (collection: string, pinned: readonly string[]): boolean => {
  const key = SHARD_KEYS[collection];
  return key === undefined || pinned.includes(key.field);
};
