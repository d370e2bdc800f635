/** `npm run bench`: measures Inlet on this machine and compares it with what users have today. */
import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';

import { causeChain } from '../../services/adapters/process/log.ts';
import { startBed } from './bed.ts';
import { helpText, type Options, readBenchOptions } from './options.ts';
import type { Scenario } from './scenario.ts';
import { api } from './scenarios/api.ts';
import { cluster } from './scenarios/cluster.ts';
import { directory } from './scenarios/directory.ts';
import { idleMemory } from './scenarios/idle-memory.ts';
import { isolation } from './scenarios/isolation.ts';
import { largeMail } from './scenarios/large-mail.ts';
import { steady } from './scenarios/steady.ts';
import { strangers } from './scenarios/strangers.ts';
import { throughput } from './scenarios/throughput.ts';

const SCENARIOS: readonly Scenario[] = [
  throughput,
  steady,
  strangers,
  isolation,
  largeMail,
  idleMemory,
  api,
  directory,
  cluster,
];

const print = (text: string) => void process.stdout.write(`${text}\n`);
const startedMs = Date.now();
const report = (line: string) =>
  void process.stderr.write(
    `[${((Date.now() - startedMs) / 1000).toFixed(1).padStart(6)} s] ${line}\n`,
  );

async function bench(options: Options): Promise<void> {
  const chosen = options.scenario.split(',').map((name) => {
    const scenario = SCENARIOS.find((one) => one.name === name);
    if (!scenario)
      throw new Error(
        `unknown scenario ${name}; choose from ${SCENARIOS.map((one) => one.name).join(', ')}`,
      );
    return scenario;
  });
  await runScenarios(chosen, options);
}

async function runScenarios(scenarios: readonly Scenario[], options: Options): Promise<void> {
  await using bed = await startBed(options, process.env, report);
  const machine = {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    node: process.version,
    load_before: loadavg()[0] ?? NaN,
    data_dir: bed.dataDir,
    fsync_p50_ms: bed.fsyncMs,
    at: new Date().toISOString(),
  };
  print(
    `${machine.cores} cores (${machine.cpu}), Node ${machine.node}, ` +
      `load average before: ${machine.load_before.toFixed(2)}`,
  );
  print(
    `data in ${machine.data_dir}; writing and syncing 4 KiB takes ${machine.fsync_p50_ms.toFixed(2)} ms (p50)`,
  );
  if (process.platform !== 'linux')
    print('no figures for CPU and memory: this machine has no /proc');
  const results: Record<string, unknown> = {};
  for (const scenario of scenarios) {
    const { text, figures } = await scenario.run(bed, options, report);
    print(`\n${scenario.name}: ${scenario.purpose}\n\n${text}`);
    results[scenario.name] = figures;
  }
  if (options.json !== undefined)
    await writeFile(
      options.json,
      `${JSON.stringify({ machine, options, results }, undefined, 2)}\n`,
    );
}

process.once('SIGINT', () => process.exit(130)); // exit hooks kill the child processes
process.once('SIGTERM', () => process.exit(143));
try {
  const options = readBenchOptions(process.argv.slice(2));
  if (options) await bench(options);
  else print(helpText(SCENARIOS));
  process.exit(0);
} catch (error) {
  process.stderr.write(`bench: ${causeChain(error)}\n`);
  process.exit(1);
}
