/**
 * Runs one service: read settings, start, log the ports, wait for SIGTERM or SIGINT, stop, exit.
 */
import type { z } from 'zod';

import { readConfig } from './config.ts';
import { bufferedOutput, causeChain, createLog, type Log, type LogLevel } from './log.ts';
import { returnStartMemory } from './memory.ts';

/**
 * A running service. Disposing stops it gracefully. `announce`: fields of its `<name>.listening`
 * log line.
 */
export type Service = AsyncDisposable & { announce: Record<string, number | string> };

type ServiceConfig = z.ZodObject & { shape: { LOG_LEVEL: z.ZodType<LogLevel> } };

/**
 * Runs a service until a signal stops it. Exits 0 after a clean stop, 1 when start or stop fails.
 */
export async function runService<C extends ServiceConfig>(
  name: string,
  schema: C,
  env: NodeJS.ProcessEnv,
  start: (config: z.output<C>, log: Log) => Promise<Service>,
): Promise<void> {
  const stopAsked = new Promise<NodeJS.Signals>((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
  const output = bufferedOutput();
  process.once('exit', () => output.flushSync());
  // Start and stop are logged at any LOG_LEVEL: the parent process reads the `listening` line.
  const life = createLog('info', { service: name }, output);
  try {
    const config = readConfig(schema, env);
    const log = createLog((config as { LOG_LEVEL: LogLevel }).LOG_LEVEL, { service: name }, output);
    const service = await Promise.race([start(config, log), stopAsked]);
    if (typeof service === 'string') {
      // Stopped during start, probably while it waited for a server: there is nothing to finish.
      life.info(`${name}.stopped`, { signal: service });
      process.exit(0);
    }
    returnStartMemory();
    life.info(`${name}.listening`, service.announce);
    const signal = await stopAsked;
    life.info(`${name}.stopping`, { signal });
    await service[Symbol.asyncDispose]();
    life.info(`${name}.stopped`);
    process.exit(0);
  } catch (error) {
    life.error(`${name}.crashed`, {
      error,
      stack: error instanceof Error ? error.stack : undefined,
    });
    process.stderr.write(`${name}: ${causeChain(error)}\n`);
    process.exit(1);
  }
}
