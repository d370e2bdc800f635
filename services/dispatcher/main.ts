/** Runs a dispatcher: `node services/dispatcher/main.ts`. */
import { runService } from '../adapters/process/service-process.ts';
import { isOutage } from '../platform/servers/outages.ts';
import { DispatcherConfig } from './process/config.ts';
import { startDispatcher } from './dispatcher.ts';

await runService('dispatcher', DispatcherConfig, process.env, startDispatcher, isOutage);
