/** Resource usage of processes, from /proc; undefined on machines without it. */
import { readFileSync, writeFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100; // USER_HZ, the same on every Linux that Node runs on
const RESET_PEAK = '5'; // proc_pid_clear_refs(5)

export type Usage = { cpuSeconds: number; residentBytes: number; peakBytes: number };

export function usageOf(pid: number): Usage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // from the third field on, because the second can contain spaces
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const bytesOf = (field: string) =>
      Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
    return {
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
      residentBytes: bytesOf('VmRSS'),
      peakBytes: bytesOf('VmHWM'),
    };
  } catch {
    return undefined;
  }
}

/**
 * Resets the memory peaks. If the kernel does not allow that, they count from the start of the
 * process.
 */
export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, RESET_PEAK);
  } catch {
    // the peak since the start of the process remains
  }
}

/** Busy seconds of all cores since the machine started. */
export function machineBusySeconds(): number | undefined {
  try {
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (
      /^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? ''
    )
      .split(' ')
      .map(Number);
    return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}
