/**
 * `npm run test:repeat -- [--times 10] [--load 2] [--minutes 30] [PATTERN …]`: runs the chosen test
 * files, or those of `npm test`, many times beside threads that keep processors busy, and prints how
 * often each file and test failed. Exits with 1 if one did.
 */
import { Worker } from 'node:worker_threads';

import { createVitest, type Vitest } from 'vitest/node';

import { vitestCommand } from './command.ts';
import { failureCounts } from './failure-counts.ts';
import { guardRun } from './guard.ts';
import { resultsOf } from './results.ts';
import { EVERYDAY } from './stages.ts';
import type { FileResult } from './verdict.ts';

const OWN = {
  '--times <number>': 'How often to run the files (default: 10)',
  '--load <number>': 'Threads that keep a processor busy meanwhile (default: 2)',
  '--minutes <number>': 'Start no further run after this time (default: 30)',
};
const MS_PER_MINUTE = 60_000;
/** The load ends with the process, or when the last run should have ended long ago. */
const BUSY = `
  const { workerData: endMs } = require('node:worker_threads');
  while (Date.now() < endMs);
`;

guardRun();
await vitestCommand(OWN, process.argv.slice(2), async (patterns, options) => {
  const { times = 10, load = 2, minutes = 30, ...others } = options;
  const chosen = patterns.length === 0 ? { project: [...EVERYDAY] } : {};
  const endMs = Date.now() + minutes * MS_PER_MINUTE;
  const vitest = await createVitest({ ...others, ...chosen, watch: false });
  const threads = Array.from(
    { length: load },
    () => new Worker(BUSY, { eval: true, workerData: endMs + 10 * MS_PER_MINUTE }),
  );
  try {
    const runs = await repeat(vitest, patterns, times, endMs);
    const { text, hasFailure } = failureCounts(runs);
    if (runs.length < times)
      process.stdout.write(`\n${runs.length} of ${times} runs in ${minutes} minutes\n`);
    process.stdout.write(`\n${text}`);
    process.exitCode = hasFailure ? 1 : 0;
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
    await vitest.exit();
  }
});

async function repeat(
  vitest: Vitest,
  patterns: string[],
  times: number,
  endMs: number,
): Promise<FileResult[][]> {
  const first = await vitest.start(patterns);
  const specifications = first.testModules.map((module) => module.toTestSpecification());
  const runs = [resultsOf(first)];
  while (runs.length < times && Date.now() < endMs) {
    process.stdout.write(`\nRun ${runs.length + 1} of ${times}\n\n`);
    runs.push(resultsOf(await vitest.runTestSpecifications(specifications)));
  }
  return runs;
}
