/**
 * Whether a process may take work: not while its clock or its keys are wrong (D290). Readiness takes it
 * out of its Service, but NATS and open connections know no readiness.
 */
import type { Log } from '../../adapters/process/log.ts';

export type Readiness = Disposable & {
  canWork: () => boolean;
  /** Runs this while the process can work: stops it when it cannot, and starts it again. */
  whileAble(start: () => Disposable): Disposable;
};

const CHECK_MS = 500;

/** @param checks what must hold, by its name in the log */
export function startReadiness(
  checks: Readonly<Record<string, () => boolean>>,
  log: Log,
): Readiness {
  const works = new Set<{ start: () => Disposable; running: Disposable | undefined }>();
  let reported = '';
  const failing = () => Object.keys(checks).filter((name) => checks[name]?.() === false);

  const check = (): void => {
    const reasons = failing();
    for (const work of works) {
      if (reasons.length === 0) work.running ??= work.start();
      else {
        work.running?.[Symbol.dispose]();
        work.running = undefined;
      }
    }
    if (reasons.join() === reported) return;
    reported = reasons.join();
    if (reasons.length > 0) log.error('work.paused', { reasons });
    else log.info('work.resumed');
  };
  check();
  const timer = setInterval(check, CHECK_MS);

  return {
    canWork: () => failing().length === 0,
    whileAble: (start) => {
      const work = { start, running: undefined as Disposable | undefined };
      works.add(work);
      check();
      return {
        [Symbol.dispose]: () => {
          works.delete(work);
          work.running?.[Symbol.dispose]();
        },
      };
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
