/**
 * Prepares the mongods of the chart: a replica set with all of them as members, and the users of the services
 * and the administrator.
 */
import { z } from 'zod';

import { chooseSocketDefaults } from '../../adapters/dns/sockets.ts';
import { readConfig } from '../../adapters/process/config.ts';
import { createLog } from '../../adapters/process/log.ts';
import { setUpMongo } from '../../adapters/mongo/database/replica-set.ts';

chooseSocketDefaults();
const config = readConfig(
  z.object({
    MONGODB_HOSTS: z
      .string()
      .transform((text) => text.split(','))
      .describe('hosts and ports of the members, under the names that all pods use'),
    MONGODB_DATABASE: z.string().default('inlet').describe('database of the services'),
    MONGODB_KEYFILE: z
      .string()
      .describe('text of the key file, which is also the password that members use for each other'),
    MONGODB_USER: z.string().default('inlet').describe('user of the services'),
    MONGODB_PASSWORD: z.string().describe('password of MONGODB_USER'),
    MONGODB_ADMIN_PASSWORD: z
      .string()
      .describe('password of the user admin, for administration such as backups'),
    MONGODB_CA_FILE: z
      .string()
      .optional()
      .describe('PEM file with the certificate authority of the members, which then use TLS'),
  }),
  process.env,
);
await setUpMongo(
  {
    hosts: config.MONGODB_HOSTS,
    keyfile: config.MONGODB_KEYFILE,
    caFile: config.MONGODB_CA_FILE,
    users: [
      { database: 'admin', name: 'admin', password: config.MONGODB_ADMIN_PASSWORD, role: 'root' },
      {
        database: config.MONGODB_DATABASE,
        name: config.MONGODB_USER,
        password: config.MONGODB_PASSWORD,
        role: 'readWrite',
      },
    ],
  },
  createLog('info', { service: 'mongodb-setup' }),
);
process.exit(0);
