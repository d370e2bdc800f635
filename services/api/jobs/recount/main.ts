/**
 * `npm run recount`: recounts usage from the deliveries, corrects the counters and prints each
 * difference.
 */
import { chooseSocketDefaults } from '../../../adapters/dns/sockets.ts';
import { CommonConfig, readConfig } from '../../../adapters/process/config.ts';
import { createLog } from '../../../adapters/process/log.ts';
import {
  openMongo,
  ensureIndexes,
  MongoConfig,
} from '../../../adapters/mongo/database/connection.ts';
import { INDEXES } from '../../../adapters/mongo/stores.ts';
import { recountUsage } from '../../../adapters/mongo/usage/recount.ts';
import { RecordsConfig } from '../../../platform/settings/records.ts';
import { z } from 'zod';

chooseSocketDefaults();
const config = readConfig(
  z.object({ ...MongoConfig, ...RecordsConfig, LOG_LEVEL: CommonConfig.LOG_LEVEL }),
  process.env,
);
await using mongo = await openMongo(config, createLog(config.LOG_LEVEL));
await ensureIndexes(mongo.db, [INDEXES.deliveries, INDEXES.usage]);
const { RECORDS_RETENTION = Infinity } = config;
const since = new Date(Math.max(0, (await mongo.time()).getTime() - RECORDS_RETENTION));
let differences = 0;
for await (const difference of recountUsage(mongo.db, since)) {
  differences++;
  process.stdout.write(`${JSON.stringify(difference)}\n`);
}
process.stdout.write(`${differences === 0 ? 'no differences' : `${differences} corrected`}\n`);
