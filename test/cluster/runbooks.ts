/** The commands with which runbooks find a cause, run against a release. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { codeBlocks, runbookPages } from '../support/runbook.ts';

/** Alerts of what the releases of the tests do not have: cert-manager, a bucket for backups. */
const WITHOUT = new Set(['InletCertificateNotRenewed', 'InletBackupOld']);
/** A name to fill in, an account of an example, a kind of the Prometheus operator. */
const NOT_HERE = /\bPOD\b|\bacc_|podmonitor|example\.com/;
const run = promisify(execFile);

/** @returns the commands that fail, each with its message; what follows a pipe is not run */
export async function failingRunbookCommands(
  namespace: string,
  release: string,
  fullName: string,
): Promise<string[]> {
  const commands = new Set<string>();
  for (const [alert, page] of await runbookPages())
    for (const block of codeBlocks(page.split('\n## What to do')[0] ?? '', 'sh'))
      for (const line of WITHOUT.has(alert) ? [] : block.split('\n')) {
        const [command = ''] = line.split(' | ');
        const isOurs = command.startsWith('kubectl -n inlet ') && !NOT_HERE.test(command);
        if (isOurs) commands.add(command);
      }
  if (commands.size < 20) throw new Error(`only ${commands.size} commands`);
  const failing: string[] = [];
  for (const command of commands) {
    const given = command
      .replaceAll(/(?<=[ /])inlet-(?=[a-z])/g, `${fullName}-`)
      .replace('-n inlet ', `-n ${namespace} `)
      .replace('instance=inlet', `instance=${release}`);
    await run('bash', ['-c', given], { maxBuffer: 64 * 1024 * 1024 }).catch(
      (error: { stderr?: string }) => failing.push(`${given}: ${error.stderr?.trim()}`),
    );
  }
  return failing;
}
