/**
 * Builds a stage of the Dockerfile as a folder, and runs it as a container manager would: with a
 * read-only root, a volume, a user without rights, and a network of its own. Base images are this
 * machine's root with the programs of the tests. It needs root and namespaces, and no Docker.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { until } from './until.ts';

const run = promisify(execFile);
const CHECKOUT = resolve(import.meta.dirname, '..', '..');
const USER = 65_532;
const PATH = '/nodejs/bin:/usr/local/bin:/usr/bin:/bin';

/** Why no container can run here. */
export const noContainers = (): string | undefined => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs root on Linux';
  try {
    for (const [program = '', ...args] of [
      ['unshare', '--pid', '--mount', '--fork', 'mount', '--make-rprivate', '/'],
      ['ip', 'netns', 'list'],
      ['setpriv', '--version'],
    ])
      execFileSync(program, args, { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'it needs namespaces and iproute2';
  }
};

type Stage = { base: string; as: string; instructions: { name: string; text: string }[] };

/** The stages of the Dockerfile, with the defaults of its arguments. */
async function readStages(): Promise<Stage[]> {
  const source = await readFile(join(CHECKOUT, 'Dockerfile'), 'utf8');
  const lines = source
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', '')
    .split('\n');
  const stages: Stage[] = [];
  for (const line of lines) {
    const [, name = '', text = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    const [base = '', , as = 'services'] = text.split(' ');
    if (name === 'FROM') stages.push({ base, as, instructions: [] });
    else if (name !== '') stages.at(-1)?.instructions.push({ name, text });
  }
  return stages;
}

export type Image = AsyncDisposable & {
  /** Folders, the topmost first. */
  layers: string[];
  env: Record<string, string>;
  health: string;
  command: string[];
};

/**
 * Packages of this checkout take the place of `npm ci`, and this machine has those of `apt-get`.
 * @param dir in memory: no layer may be inside of another
 * @param programs by stage and path: what its base image has
 */
export async function buildImage(
  target: string,
  dir: string,
  programs: Record<string, Record<string, string>>,
): Promise<Image> {
  const layersOf = new Map<string, string[]>();
  const folders = new Map<string, string>();
  const lines = ['set -eu', 'mount --make-rprivate /', PUT];
  let built: Stage | undefined;
  for (const stage of await readStages()) {
    const { base, as, instructions } = stage;
    const [root, upper, work] = ['root', 'upper', 'work'].map((name) => join(dir, as, name));
    const below = layersOf.get(base) ?? ['/'];
    layersOf.set(as, [String(upper), ...below]);
    const options = `lowerdir=${below.join(':')},upperdir=${upper},workdir=${work}`;
    lines.push(`mkdir -p ${root} ${upper} ${work}`);
    for (const [path, file] of Object.entries(programs[as] ?? {}))
      lines.push(`put ${file} ${upper}${path} false`);
    lines.push(`mount -t overlay overlay -o ${options} ${root}`, `mount --bind /dev ${root}/dev`);
    folders.set(
      as,
      instructions.find(({ name }) => name === 'WORKDIR')?.text ?? folders.get(base) ?? '/',
    );
    const rootOf = (name: string) => join(dir, name, 'root');
    lines.push(...commandsOf(instructions, rootOf, String(root), String(folders.get(as))));
    built = stage;
    if (as === target) break;
  }
  const script = join(dir, 'build.sh');
  await writeFile(script, lines.join('\n'));
  await run('unshare', ['--mount', 'bash', script], { maxBuffer: 2 ** 24 });

  const textsOf = (name: string) =>
    built?.instructions.flatMap((one) => (one.name === name ? one.text : [])) ?? [];
  const variables = textsOf('ENV').flatMap((text) => text.split(' '));
  return {
    layers: layersOf.get(target) ?? [],
    env: Object.fromEntries(variables.map((pair) => pair.split('='))) as Record<string, string>,
    health: textsOf('HEALTHCHECK')[0]?.replace(/^.*? CMD /, '') ?? '',
    command: [...textsOf('ENTRYPOINT'), ...textsOf('CMD')].flatMap(
      (text) => JSON.parse(text) as string[],
    ),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

/** As COPY: of a folder, what is in it. */
const PUT = `put() {
  if [ -d "$1" ]; then mkdir -p "$2"; cp -a "$1/." "$2/"
  elif [ "$3" = true ]; then mkdir -p "$2"; cp -a "$1" "$2/"
  else mkdir -p "\${2%/*}"; cp -a "$1" "$2"; fi
}`;

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

function commandsOf(
  instructions: Stage['instructions'],
  rootOf: (stage: string) => string,
  root: string,
  workdir: string,
): string[] {
  const variables = ['HOME=/root', `PATH=${PATH}`];
  const commandOf: Record<string, (text: string) => string> = {
    WORKDIR: (text) => `mkdir -p ${root}${text}`,
    ARG: (text) => (text.includes('=') && variables.push(text), ''),
    COPY: (text) => {
      const [, stage, paths = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(text) ?? [];
      const sources = paths.trim().split(/\s+/);
      const to = root + resolve('/', workdir, sources.pop() ?? '');
      const from = stage === undefined ? CHECKOUT : rootOf(stage);
      const isInto = text.endsWith('/') || sources.length > 1;
      return sources.map((source) => `put ${join(from, source)} ${to} ${isInto}`).join('\n');
    },
    RUN: (text) => {
      if (text.startsWith('apt-get ')) return '';
      if (text.startsWith('npm ci ')) return packagesInto(`${root}${workdir}/node_modules`);
      const env = variables.map(quoted).join(' ');
      return `chroot ${root} env -i --chdir=${workdir} ${env} sh -c ${quoted(text)}`;
    },
  };
  return instructions.map(({ name, text }) => commandOf[name]?.(text) ?? '');
}

/** Those that `npm ci --omit=dev` installs. */
function packagesInto(folder: string): string {
  const { packages } = JSON.parse(readFileSync(join(CHECKOUT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const names = Object.keys(packages).filter(
    (path) =>
      /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) &&
      !packages[path]?.dev &&
      existsSync(join(CHECKOUT, path)),
  );
  const copy = `cp -a --parents ${names.join(' ')} node_modules/.bin ${join(folder, '..')}`;
  return [`mkdir -p ${folder}`, `cd ${CHECKOUT}`, copy].join('\n');
}

export type Container = {
  pid: number;
  /** Its output until now. */
  output(): string;
  /** The exit code, after SIGTERM to its first process. */
  stop(): Promise<number | null>;
  /** Ends every process at once, as when the power fails. */
  kill(): Promise<void>;
  /** Runs a program in it, as `docker exec`. */
  exec(...command: string[]): Promise<string>;
};

export type Network = AsyncDisposable & {
  /** Addresses of this machine and of the container in it. */
  host: string;
  container: string;
  name: string;
};

const ip = (text: string) => run('ip', text.split(' '));

/** A network of two: this machine and one container. */
export async function createNetwork(): Promise<Network> {
  const number = 1 + (process.pid % 254);
  const name = `inlet${process.pid}`;
  const [host, container] = [`10.213.${number}.1`, `10.213.${number}.2`];
  await ip(`netns add ${name}`);
  await ip(`link add ${name} type veth peer name eth0 netns ${name}`);
  await ip(`address add ${host}/30 dev ${name}`);
  await ip(`link set ${name} up`);
  await ip(`-n ${name} address add ${container}/30 dev eth0`);
  for (const link of ['eth0', 'lo']) await ip(`-n ${name} link set ${link} up`);
  return {
    name,
    host,
    container,
    [Symbol.asyncDispose]: async () => void (await ip(`netns del ${name}`)),
  };
}

/** $1: where its root is mounted, $2: the layers, $3: the volume; then the command. */
const BOOT = `set -eu
root=$1 layers=$2 volume=$3; shift 3
mount --make-rprivate /
mount -t overlay overlay -o "lowerdir=$layers" "$root"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
mount --bind "$volume" "$root/data"
exec chroot "$root" setpriv --reuid=${USER} --regid=${USER} --clear-groups --bounding-set=-all --no-new-privs \\
  env -i --chdir=/app "$@"`;

/** @param volume a folder that the user of the image owns */
export async function startContainer(
  image: Image,
  { network, volume, env = {} }: { network: Network; volume: string; env?: Record<string, string> },
): Promise<Container> {
  const root = await mkdtemp(join(volume, '..', 'root-'));
  await chown(volume, USER, USER);
  const variables = Object.entries({ ...image.env, ...env }).map((pair) => pair.join('='));
  const boot = ['bash', '-c', BOOT, 'boot', root, image.layers.join(':'), volume];
  const namespaces = ['unshare', '--pid', '--mount', '--ipc', '--uts', '--fork', '--kill-child'];
  const parent = spawn(
    'ip',
    ['netns', 'exec', network.name, ...namespaces, ...boot, ...variables, ...image.command],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [parent.stdout, parent.stderr])
    stream.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  const ended = once(parent, 'close') as Promise<[number | null]>;
  const pid = await until('the first process', () => childOf(parent.pid ?? 0));

  async function exec(...command: string[]): Promise<string> {
    const enter = ['-t', String(pid), '-a', '-r', '-S', String(USER), '-G', String(USER)];
    const { stdout } = await run('nsenter', [
      ...enter,
      '--',
      'env',
      '-i',
      '--chdir=/app',
      ...variables,
      ...command,
    ]);
    return stdout;
  }
  async function end(signal: NodeJS.Signals): Promise<number | null> {
    if (parent.exitCode === null && parent.signalCode === null) process.kill(pid, signal);
    const [code] = await ended;
    await rm(root, { recursive: true });
    return code;
  }
  return {
    pid,
    output: () => output,
    stop: () => end('SIGTERM'),
    kill: async () => void (await end('SIGKILL')),
    exec,
  };
}

async function childOf(parent: number): Promise<number | undefined> {
  const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', String(parent)]).catch(() => ({
    stdout: '',
  }));
  return Number(stdout.trim()) || undefined;
}
