/** Settings of `npm start`. Those of the services (docs/settings.md) can be given too and are handed on to them. */
import { z } from 'zod';

import { Port } from '../adapters/process/config.ts';

export const StandaloneConfig = z.object({
  INLET_DIR: z
    .string()
    .default('.inlet')
    .describe('folder for data, certificates, logs and standalone.json; relative to the checkout'),
  INLET_CACHE: z
    .string()
    .default('.inlet/cache')
    .describe(
      'folder for the nats-server and mongod that were fetched; may be shared; relative to the checkout',
    ),
  SMTP_PORT: Port.default(2525).describe('port that accepts mail; 0 for any free port'),
  API_PORT: Port.default(8080).describe('port of the REST API; 0 for any free port'),
  RECEIVER_PORT: Port.default(8443).describe(
    'port of the demo HTTPS receiver; 0 for any free port',
  ),
  NATS_PORT: Port.default(0).describe('port of the nats-server it starts; 0 for any free port'),
  MONGODB_PORT: Port.default(0).describe('port of the mongod it starts; 0 for any free port'),
  NATS_URL: z
    .string()
    .optional()
    .describe('a running nats-server with JetStream to use; none is started then'),
  MONGODB_URI: z
    .string()
    .optional()
    .describe('a running MongoDB replica set to use; none is started then'),
  NATS_SERVER_BIN: z.string().optional().describe('nats-server binary to start, 2.11 or later'),
  MONGOD_BIN: z.string().optional().describe('mongod binary to start, 6.0 or later'),
});
export type StandaloneConfig = z.output<typeof StandaloneConfig>;
