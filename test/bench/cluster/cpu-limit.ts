/** A limit of CPU for a process, as a pod has, by a cgroup: needs root and a writable cgroup file system. */
import { existsSync } from 'node:fs';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';

const PERIOD_US = 100_000;
const ROOT = '/sys/fs/cgroup';

/**
 * @param cores such as 0.5
 * @returns removes the limit; call it when the process has ended
 */
export async function limitCpu(pid: number, cores: number): Promise<() => Promise<void>> {
  const isV2 = existsSync(`${ROOT}/cgroup.controllers`);
  const group = `${ROOT}/${isV2 ? '' : 'cpu/'}inlet-bench-${pid}`;
  const quota = Math.round(cores * PERIOD_US);
  try {
    await mkdir(group);
    if (isV2) await writeFile(`${group}/cpu.max`, `${quota} ${PERIOD_US}`);
    else {
      await writeFile(`${group}/cpu.cfs_period_us`, String(PERIOD_US));
      await writeFile(`${group}/cpu.cfs_quota_us`, String(quota));
    }
    await writeFile(`${group}/cgroup.procs`, String(pid));
  } catch (cause) {
    throw new Error('--cpu-limit needs root and a writable cgroup file system', { cause });
  }
  return () => rmdir(group);
}
