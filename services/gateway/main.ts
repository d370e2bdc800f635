/** Runs a gateway: `node services/gateway/main.ts`. */
import { runService } from '../adapters/process/service-process.ts';
import { isOutage } from '../platform/servers/outages.ts';
import { GatewayConfig } from './process/config.ts';
import { startGateway } from './gateway.ts';

await runService('gateway', GatewayConfig, process.env, startGateway, isOutage);
