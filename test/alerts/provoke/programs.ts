/**
 * The programs that the runbooks name, as a workstation has them. `kubectl` is a script: it reads the
 * logs of the processes, takes certificates from their files, and runs what `exec` names with the
 * settings of the process. For anything else it says that only a cluster has an answer.
 */
import { access, chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { installFromNpm } from '../../contract/tools.ts';
import { unpackedPackages } from '../../support/debian-packages.ts';
import { findGoTool } from '../../support/go-tool.ts';
import type { Bed } from './bed.ts';

/** What a program writes to $BED/said when it has no answer. */
export const NEEDS_A_CLUSTER = 'cluster';
export const NO_PROGRAM = 'no program';

const CHECKOUT = join(import.meta.dirname, '../../..');

const KUBECTL = `#!/bin/bash
all="$*"
case "$all" in
  *" logs "*"component="*) component=$(sed -n 's/.*component=\\([a-z-]*\\).*/\\1/p' <<<"$all")
    if [ -e "$BED/$component.log" ]; then cat "$BED/$component.log"; else echo ${NEEDS_A_CLUSTER} > "$BED/said"; fi ;;
  *" logs "*"part-of=inlet"*) cat "$BED"/*.log ;;
  *" get secret "*"tls"*".crt"*) base64 "$(node -p "JSON.parse(fs.readFileSync('$BED/gateway.env')).TLS_CERT_FILE")" ;;
  *" get secret "*"tls"*".key"*) base64 "$(node -p "JSON.parse(fs.readFileSync('$BED/gateway.env')).TLS_KEY_FILE")" ;;
  *" exec deploy/inlet-"*) component=$(sed -n 's/.*deploy.inlet-\\([a-z]*\\).*/\\1/p' <<<"$all")
    while [ "$1" != -- ]; do shift; done; shift
    set -a
    eval "$(node -e 'for (const [name, value] of Object.entries(JSON.parse(fs.readFileSync(process.argv[1], "utf8"))))
      if (name !== "PATH") console.log(name + "=" + JSON.stringify(value))' "$BED/$component.env")"
    exec "$@" ;;
  *) echo ${NEEDS_A_CLUSTER} > "$BED/said" ;;
esac
`;

const missing = `#!/bin/bash\necho '${NO_PROGRAM}' > "$BED/said"\n`;
const program = (command: string | undefined, options = '') =>
  command === undefined ? missing : `#!/bin/bash\nexec "${command}" ${options} "$@"\n`;

/** @returns the PATH with them */
export async function installPrograms(bed: Bed): Promise<string> {
  const dir = join(bed.dir, 'programs');
  const path = [dir, dirname(process.execPath), process.env.PATH].join(':');
  if (await exists(dir)) return path;
  await mkdir(dir);
  const nats = await findGoTool({
    name: 'nats',
    versionArgs: ['--version'],
    module: 'github.com/nats-io/natscli@v0.2.4',
    folder: './nats',
  });
  const shell = await installFromNpm('mongosh', { mongosh: '2.12.0' });
  const netcat = await unpackedPackages(['netcat-openbsd'], 'bin/nc.openbsd').catch(
    () => undefined,
  );
  const scripts: Record<string, string> = {
    kubectl: KUBECTL,
    inlet: `#!/bin/bash\nexec node "${CHECKOUT}/services/standalone/inlet.mjs" "$@"\n`,
    nats: program(nats, '--no-context'),
    nats_system: '#!/bin/bash\nexec nats --user system --password system "$@"\n',
    mongosh: program(shell && join(shell, 'node_modules/.bin/mongosh')),
    nc: program(netcat && join(netcat, 'bin/nc.openbsd')),
    dig: missing, // it asks the DNS of the world
  };
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(dir, name), script);
    await chmod(join(dir, name), 0o755);
  }
  return path;
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
