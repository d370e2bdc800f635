/** Says how far a download is while nothing else is printed. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const SILENCE_MS = 5_000;

/**
 * Runs the work, and reports every few seconds how much is in the folder that it fills.
 * @param what such as `nats-server from the npm registry`
 */
export async function reportingProgress<T>(
  { dir, what, report }: { dir: string; what: string; report: (line: string) => void },
  work: () => Promise<T>,
  silenceMs = SILENCE_MS,
): Promise<T> {
  const startedMs = Date.now();
  let before = 0;
  const tell = async (): Promise<void> => {
    const bytes = await bytesIn(dir);
    const seconds = Math.round((Date.now() - startedMs) / 1000);
    const isSlow = bytes <= before;
    before = bytes;
    report(
      `still downloading ${what}: ${(bytes / 1e6).toFixed(1)} MB unpacked after ${seconds} s` +
        (isSlow ? '; nothing arrived lately' : ''),
    );
  };
  const timer = setInterval(() => void tell(), silenceMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Files may be moved or removed meanwhile: they do not count. */
async function bytesIn(dir: string): Promise<number> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
