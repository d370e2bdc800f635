/**
 * Runs one service: read settings, start, log the ports, wait for SIGTERM or SIGINT, stop, exit.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';

import { chooseSocketDefaults } from '../dns/sockets.ts';
import { readConfig } from './config.ts';
import { bufferedOutput, causeChain, createLog, type Log, type LogLevel } from './log.ts';
import { returnStartMemory } from './memory.ts';
import { removedSettingsIn } from './removed-settings.ts';

/**
 * A running service. Disposing stops it gracefully. `announce`: fields of its `<name>.listening`
 * log line.
 */
export type Service = AsyncDisposable & { announce: Record<string, number | string> };

type ServiceConfig = z.ZodObject & { shape: { LOG_LEVEL: z.ZodType<LogLevel> } };

const START_PAUSE_MS = 1_000;

/**
 * Runs a service until a signal stops it. Exits 0 after a clean stop, 1 when start or stop fails.
 * @param isOutage the start is repeated after such an error, for as long as the process lives
 */
export async function runService<C extends ServiceConfig>(
  name: string,
  schema: C,
  env: NodeJS.ProcessEnv,
  start: (config: z.output<C>, log: Log) => Promise<Service>,
  isOutage: (error: unknown) => boolean,
): Promise<void> {
  chooseSocketDefaults();
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
    for (const advice of removedSettingsIn(env)) life.warn(`${name}.setting_removed`, { advice });
    const log = createLog((config as { LOG_LEVEL: LogLevel }).LOG_LEVEL, { service: name }, output);
    const started = async (): Promise<Service> => {
      for (;;) {
        try {
          return await start(config, log);
        } catch (error) {
          if (!isOutage(error)) throw error;
          life.warn(`${name}.start_repeated`, { error });
          await sleep(START_PAUSE_MS);
        }
      }
    };
    const service = await Promise.race([started(), stopAsked]);
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
