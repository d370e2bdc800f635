/** Runs an operator: `node services/operator/main.ts`. */
import { runService } from '../adapters/process/service-process.ts';
import { isOutage } from '../platform/servers/outages.ts';
import { OperatorConfig } from './process/config.ts';
import { startOperator } from './operator.ts';

await runService('operator', OperatorConfig, process.env, startOperator, isOutage);
