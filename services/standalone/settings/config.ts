/**
 * Settings of `npm start`. Those of the services (docs/settings.md) can be given too and are handed
 * on to them.
 */
import { z } from 'zod';

import { Port } from '../../adapters/process/config.ts';
import { optional } from '../../core/resource/described.ts';

export const StandaloneConfig = z.object({
  INLET_DIR: z
    .string()
    .default('.inlet')
    .describe('folder for data, certificates, logs and standalone.json; relative to the checkout'),
  INLET_CACHE: z
    .string()
    .default('.inlet/cache')
    .describe(
      'folder for downloaded programs (nats-server, mongod); several checkouts can share it; relative to the checkout',
    ),
  SMTP_PORT: Port.default(2525).describe('port of the SMTP gateway; 0 for any free port'),
  API_PORT: Port.default(8080).describe('port of the REST API; 0 for any free port'),
  RECEIVER_PORT: Port.default(8443).describe(
    'port of the demo HTTPS receiver; 0 for any free port',
  ),
  NATS_URL: z
    .string()
    .optional()
    .describe('URL of a running nats-server with JetStream, to use instead of starting one'),
  MONGODB_URI: z
    .string()
    .optional()
    .describe('URL of a running MongoDB replica set, to use instead of starting one'),
  NATS_SERVER_BIN: optional(z.string(), 'path of the nats-server to start, version 2.11 or later'),
  MONGOD_BIN: z.string().optional().describe('path of the mongod to start, version 6.0 or later'),
});
export type StandaloneConfig = z.output<typeof StandaloneConfig>;
