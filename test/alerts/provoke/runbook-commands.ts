/**
 * The queries and commands of a runbook, run as they are written while its alert fires: first those of
 * "Find the cause", then those of "What to do".
 */
import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { codeBlocks, runbookPages } from '../../support/runbook.ts';
import type { Bed } from './bed.ts';
import { FACTOR } from './monitoring.ts';
import { installPrograms, NEEDS_A_CLUSTER, NO_PROGRAM } from './programs.ts';
import { scaledDuration } from './scaled-rules.ts';
import { STORIES } from './stories.ts';

/** `cluster`: only Kubernetes has an answer. `no program`: the machine lacks it. */
type Result = 'data' | 'empty' | 'failed' | 'cluster' | 'no program';
export type CommandResult = { command: string; said: string; result: Result };

const COMMAND_WITHIN_MS = 60_000;
/** Processes log some lines every ten seconds only. No alert is so fast, except at a sixtieth of its time. */
const SAID_WITHIN_MS = 15_000;
const ASKED_EVERY_MS = 1_000;
const OF_A_CLUSTER = /\b(?:kubelet|container|node)_/;

/** @returns each query and command with what it found */
export async function runRunbook(bed: Bed, alert: string): Promise<CommandResult[]> {
  const page = (await runbookPages()).get(alert) ?? '';
  const untilMs = performance.now() + SAID_WITHIN_MS;
  const expected = Object.keys(STORIES[alert]?.finds ?? {});
  const results: CommandResult[] = [];
  const run = async (command: string, once: () => Promise<CommandResult>) => {
    let result = await once();
    const isEmpty = () =>
      result.result === 'empty' && !expected.some((one) => command.includes(one));
    for (; isEmpty() && performance.now() < untilMs; result = await once())
      await sleep(ASKED_EVERY_MS);
    results.push(result);
  };
  for (const query of codeBlocks(page, 'promql')) await run(query, () => askPrometheus(bed, query));
  for (const block of codeBlocks(page, 'sh'))
    for (const command of block.split('\n').filter((line) => line !== ''))
      await run(command, () => runAsWritten(bed, command));
  return results;
}

async function askPrometheus(bed: Bed, query: string): Promise<CommandResult> {
  const requested = query
    .replaceAll(/\[(\d+[smhd])\]/g, (_, given: string) => `[${scaledDuration(given, FACTOR)}]`)
    .replaceAll('namespace="inlet"', `namespace="${bed.namespace}"`);
  const found = (await bed.monitoring.prometheus.query(requested)).filter(
    ({ metric }) => metric.namespace === undefined || metric.namespace === bed.namespace,
  );
  if (found.length > 0) return { command: query, result: 'data', said: JSON.stringify(found) };
  return { command: query, result: OF_A_CLUSTER.test(requested) ? 'cluster' : 'empty', said: '' };
}

/** Runs a command in a shell. Only the hosts in it are those of the test. */
export async function runAsWritten(bed: Bed, command: string): Promise<CommandResult> {
  const env = {
    PATH: await installPrograms(bed),
    HOME: bed.dir,
    BED: bed.dir,
    NATS_URL: bed.natsUrl,
    MONGODB_URI: `${bed.mongoUri}?serverSelectionTimeoutMS=3000`, // otherwise 30 s without a server
    INLET_TOKEN: bed.token,
  };
  const here = command
    .replaceAll('https://inlet.example.com/v1', bed.apiUrl)
    .replaceAll('mx.in.example.com:25', `127.0.0.1:${bed.smtpPort}`)
    .replaceAll('mx.in.example.com 25', `127.0.0.1 ${bed.smtpPort}`);
  const saidFile = join(bed.dir, 'said');
  await rm(saidFile, { force: true });
  const { hasFailed, said } = await new Promise<{ hasFailed: boolean; said: string }>((resolve) => {
    execFile(
      'bash',
      ['-o', 'pipefail', '-c', here],
      { env, cwd: bed.dir, timeout: COMMAND_WITHIN_MS, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) =>
        resolve({ hasFailed: error !== null, said: stdout.trim() || stderr.trim() }),
    );
  });
  const without = (await readFile(saidFile, 'utf8').catch(() => '')).trim();
  return { command, said, result: resultOf(without, hasFailed, said) };
}

function resultOf(without: string, hasFailed: boolean, said: string): Result {
  if (without === NEEDS_A_CLUSTER || without === NO_PROGRAM) return without;
  if (said === '') return 'empty';
  return hasFailed ? 'failed' : 'data';
}
