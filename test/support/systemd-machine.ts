/**
 * A machine with systemd as its first process, in namespaces of this one: an overlay of this machine's root, its own
 * processes, mounts, cgroups and network with only a loopback interface. It needs root and a systemd on this machine.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { until } from './until.ts';

const SYSTEMD = '/lib/systemd/systemd';
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';
const run = promisify(execFile);

/** Why there can be none here. */
export const noMachine = (): string | undefined => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs root on Linux';
  if (!existsSync(SYSTEMD)) return 'it needs systemd';
  try {
    execFileSync('unshare', ['--pid', '--mount', '--cgroup', '--net', '--fork', 'true']);
    return undefined;
  } catch {
    return 'it needs namespaces';
  }
};

/** What the kernel and a container manager prepare before systemd starts. Only namespaces of its own see the mounts. */
const BOOT = `
set -eu
mount --make-rprivate /
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
cd "$1/root"
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
for dir in run tmp; do mount -t tmpfs tmpfs $dir; done
mount -t tmpfs -o mode=755 tmpfs dev
for device in null zero full random urandom tty; do
  touch dev/$device
  mount --bind /dev/$device dev/$device
done
ln -s /proc/self/fd dev/fd
ln -s fd/0 dev/stdin
ln -s fd/1 dev/stdout
ln -s fd/2 dev/stderr
mkdir dev/shm dev/pts
mount -t tmpfs tmpfs dev/shm
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then mount -t cgroup2 cgroup2 sys/fs/cgroup
else
  mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
  mkdir sys/fs/cgroup/systemd
  mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
fi
ip link set lo up
hostname machine
if [ ! -e etc/first-start ]; then
  touch etc/first-start
  rm -rf etc/systemd/system/*.wants usr/lib/systemd/system/multi-user.target.wants
fi
exec env -i container=nspawn PATH=${PATH} chroot . ${SYSTEMD} --system --unit=multi-user.target --show-status=no
`;

export type Machine = AsyncDisposable & {
  /** Files that differ from those of this machine, by their paths there. Copy files here before the start. */
  upper: string;
  boot(): Promise<void>;
  /** As when the power fails: every process ends at once. */
  powerOff(): Promise<void>;
  /** Runs a script of bash there, as root. @returns its output; rejects with its errors */
  run(script: string): Promise<string>;
};

/** @param dir on a tmpfs; its owner removes it */
export async function createMachine(dir: string): Promise<Machine> {
  const upper = join(dir, 'upper');
  for (const name of ['upper', 'work', 'root']) await mkdir(join(dir, name));
  let pid: number | undefined;

  async function boot(): Promise<void> {
    await rm(join(dir, 'work'), { recursive: true, force: true });
    await mkdir(join(dir, 'work'));
    const namespaces = ['--pid', '--mount', '--cgroup', '--uts', '--ipc', '--net'];
    const parent = spawn(
      'unshare',
      [...namespaces, '--fork', '--kill-child', 'bash', '-c', BOOT, 'boot', dir],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    pid = await until('the first process', () => childOf(parent.pid ?? 0));
    await until('the machine to be up', async () => {
      if (parent.exitCode !== null) throw new Error('the machine did not start');
      const state = await inside(['systemctl', 'is-system-running']).catch(
        (error: { stdout?: string }) => error.stdout ?? '',
      );
      return /^(running|degraded)/.test(state);
    });
  }

  const inside = async (command: string[]) => {
    const enter = ['-t', String(pid), '-a', '-r', '-w', '--', 'env', '-i', `PATH=${PATH}`];
    const { stdout } = await run('nsenter', [...enter, ...command], {
      timeout: 120_000,
      maxBuffer: 16 * 1024 * 1024,
    });
    return stdout;
  };

  async function powerOff(): Promise<void> {
    if (pid === undefined) return;
    process.kill(pid, 'SIGKILL'); // the kernel ends all others of the namespace first
    while (existsSync(`/proc/${pid}/ns/pid`)) await sleep(50);
    pid = undefined;
  }

  return {
    upper,
    boot,
    powerOff,
    run: (script) => inside(['bash', '-euo', 'pipefail', '-c', script]),
    [Symbol.asyncDispose]: powerOff,
  };
}

async function childOf(parent: number): Promise<number | undefined> {
  const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', String(parent)]).catch(() => ({
    stdout: '',
  }));
  return Number(stdout.trim()) || undefined;
}
