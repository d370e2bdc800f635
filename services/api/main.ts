/** Starts the API as its own process. */
import { runService } from '../adapters/process/service-process.ts';
import { isOutage } from '../platform/servers/outages.ts';
import { startApi } from './api.ts';
import { ApiConfig } from './process/config.ts';

await runService('api', ApiConfig, process.env, startApi, isOutage);
