/**
 * The queries and commands of "Find the cause" of a runbook, run while its alert fires. `kubectl` is a
 * script that reads the logs of processes and runs what `exec` names; whatever else needs a cluster.
 */
import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { findGoTool } from '../../support/go-tool.ts';
import { codeBlocks, runbookPages } from '../../support/runbook.ts';
import type { Bed } from './bed.ts';
import { FACTOR } from './monitoring.ts';
import { scaledDuration } from './scaled-rules.ts';

/** `cluster`: only Kubernetes has an answer. `no program`: this machine lacks it. */
type Result = 'data' | 'empty' | 'failed' | 'cluster' | 'no program';
export type CommandResult = { command: string; result: Result; said: string };

const CHECKOUT = join(import.meta.dirname, '../../..');
const NEEDS_A_CLUSTER = 99;
const NO_PROGRAM = 127;
const WITHIN_MS = 60_000;

const KUBECTL = `#!/bin/bash
all="$*"
case "$all" in
  *" logs "*"component="*) component=$(sed -n 's/.*component=\\([a-z-]*\\).*/\\1/p' <<<"$all")
    [ -f "$BED/$component.log" ] || exit ${NEEDS_A_CLUSTER}
    cat "$BED/$component.log" ;;
  *" logs "*"part-of=inlet"*) cat "$BED"/*.log ;;
  *" exec deploy/inlet-"*) component=$(sed -n 's/.*deploy.inlet-\\([a-z]*\\).*/\\1/p' <<<"$all")
    while [ "$1" != -- ]; do shift; done; shift
    set -a
    eval "$(node -e 'for (const [name, value] of Object.entries(JSON.parse(fs.readFileSync(process.argv[1], "utf8"))))
      if (name !== "PATH") console.log(name + "=" + JSON.stringify(value))' "$BED/$component.env")"
    exec "$@" ;;
  *) exit ${NEEDS_A_CLUSTER} ;;
esac
`;

/** Programs as a pod or a workstation has them. @returns the PATH */
async function programs(bed: Bed): Promise<string> {
  const dir = join(bed.dir, 'programs');
  await mkdir(dir, { recursive: true });
  const nats = await findGoTool({
    name: 'nats',
    versionArgs: ['--version'],
    module: 'github.com/nats-io/natscli@v0.2.4',
    folder: './nats',
  });
  const scripts: Record<string, string> = {
    kubectl: KUBECTL,
    inlet: `#!/bin/bash\nexec node "${CHECKOUT}/services/standalone/inlet.mjs" "$@"\n`,
    nats: `#!/bin/bash\n[ -x "${nats}" ] || exit ${NO_PROGRAM}\nexec "${nats}" --no-context "$@"\n`,
    nats_system: '#!/bin/bash\nexec nats --user system --password system "$@"\n',
  };
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(dir, name), script);
    await chmod(join(dir, name), 0o755);
  }
  return [dir, dirname(process.execPath), process.env.PATH].join(':');
}

/** Runs a command as a runbook has it. */
export async function runAsWritten(bed: Bed, command: string): Promise<CommandResult> {
  const env = {
    PATH: await programs(bed),
    HOME: bed.dir,
    BED: bed.dir,
    NATS_URL: bed.natsUrl,
    MONGODB_URI: bed.mongod.url,
    INLET_TOKEN: bed.token,
  };
  const here = command
    .replaceAll('https://inlet.example.com/v1', bed.apiUrl)
    .replaceAll('mx.in.example.com:25', `127.0.0.1:${bed.smtpPort}`)
    .replaceAll('mx.in.example.com 25', `127.0.0.1 ${bed.smtpPort}`);
  const { status, said } = await new Promise<{ status: number; said: string }>((resolve) => {
    execFile(
      'bash',
      ['-o', 'pipefail', '-c', here],
      { env, cwd: bed.dir, timeout: WITHIN_MS, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) =>
        resolve({
          status: error === null ? 0 : Number(error.code ?? 1),
          said: stdout.trim() === '' ? stderr.trim() : stdout.trim(),
        }),
    );
  });
  return { command, said, result: resultOf(status, said) };
}

function resultOf(status: number, said: string): Result {
  if (status === NEEDS_A_CLUSTER) return 'cluster';
  if (status === NO_PROGRAM) return 'no program';
  if (status !== 0) return said === '' ? 'empty' : 'failed';
  return said === '' ? 'empty' : 'data';
}

/** The commands of a section, one a line. */
const commandsOf = (section: string): string[] =>
  codeBlocks(section, 'sh')
    .flatMap((block) => block.split('\n'))
    .filter((line) => line !== '');

export async function findTheCause(bed: Bed, alert: string): Promise<CommandResult[]> {
  const page = (await runbookPages()).get(alert) ?? '';
  const section = /^## Find the cause\n([\s\S]*?)^## /m.exec(page)?.[1] ?? '';
  const results: CommandResult[] = [];
  for (const query of codeBlocks(section, 'promql')) {
    const asked = query
      .replaceAll(/\[(\d+[smhd])\]/g, (_, given: string) => `[${scaledDuration(given, FACTOR)}]`)
      .replaceAll('namespace="inlet"', `namespace="${bed.namespace}"`);
    const needsCluster = /kubelet_|container_|node_/.test(asked);
    const found = (await bed.monitoring.prometheus.query(asked)).filter(
      ({ metric }) => metric.namespace === undefined || metric.namespace === bed.namespace,
    );
    const result = found.length > 0 ? 'data' : needsCluster ? 'cluster' : 'empty';
    results.push({ command: query, result, said: '' });
  }
  for (const command of commandsOf(section)) results.push(await runAsWritten(bed, command));
  return results;
}
