/** What programs have in addition that have the packages of the servers: `inlet admin` with all its commands. */
import { connectMongo } from '../adapters/mongo/database/connection.ts';
import { createLog } from '../adapters/process/log.ts';
import { addAdminCommand } from './admin/commands.ts';
import type { WithServers } from './program.ts';

export const administration: WithServers = {
  addAdmin: addAdminCommand,
  async mongoVersion(uri, caFile) {
    await using mongo = await connectMongo(uri, createLog('silent'), { withinMs: 0, caFile });
    return await mongo.version();
  },
};
