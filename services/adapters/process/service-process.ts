/** The life of one service process: read settings, start, announce, wait for SIGTERM or SIGINT, stop in order, exit. */
import type { z } from 'zod';

import { readConfig } from './config.ts';
import { bufferedOutput, causeChain, createLog, type Log, type LogLevel } from './log.ts';

/** A started service. Disposing it stops it gracefully; `announce` goes into its `<name>.listening` log line (ports, mostly). */
export type Service = AsyncDisposable & { announce: Record<string, number | string> };

type ServiceConfig = z.ZodObject & { shape: { LOG_LEVEL: z.ZodType<LogLevel> } };

/** Runs a service until a signal asks it to stop. The process exits 0 after a clean stop, 1 when the start or the stop fails. */
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
  const life = createLog('info', { service: name }, output); // whoever starts this process reads its announcement, whatever LOG_LEVEL hides
  try {
    const config = readConfig(schema, env);
    const log = createLog((config as { LOG_LEVEL: LogLevel }).LOG_LEVEL, { service: name }, output);
    const service = await Promise.race([start(config, log), stopAsked]);
    if (typeof service === 'string') {
      life.info(`${name}.stopped`, { signal: service }); // while it waited for a server, most likely: there is nothing to finish
      process.exit(0);
    }
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
