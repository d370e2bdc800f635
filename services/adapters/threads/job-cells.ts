/** Memory that a worker thread and the main thread share: what the thread works on now. */

/** See the indexes below. */
export type Cells = Int32Array;

/** Changes whenever another step begins or ends. */
const SEQUENCE = 0;
const JOB = 1;
const STAGE = 2;
/** CPU time that the job took before this step. */
const CPU_MS = 3;
const COUNT = 4;

const NO_JOB = -1;

export const newCells = (): Cells => {
  const cells = new Int32Array(new SharedArrayBuffer(COUNT * Int32Array.BYTES_PER_ELEMENT));
  cells[JOB] = NO_JOB;
  return cells;
};

export function markStep(cells: Cells, job: { id: number; stage: number; cpuMs: number }): void {
  Atomics.store(cells, JOB, job.id);
  Atomics.store(cells, STAGE, job.stage);
  Atomics.store(cells, CPU_MS, Math.round(job.cpuMs));
  Atomics.add(cells, SEQUENCE, 1);
}

export function markIdle(cells: Cells): void {
  Atomics.store(cells, JOB, NO_JOB);
  Atomics.add(cells, SEQUENCE, 1);
}

export type Activity = {
  sequence: number;
  /** Undefined between steps. */
  job: { id: number; stage: number; cpuMs: number } | undefined;
};

export function activityIn(cells: Cells): Activity {
  const id = Atomics.load(cells, JOB);
  return {
    sequence: Atomics.load(cells, SEQUENCE),
    job:
      id === NO_JOB
        ? undefined
        : { id, stage: Atomics.load(cells, STAGE), cpuMs: Atomics.load(cells, CPU_MS) },
  };
}
