/**
 * Bounds downloads in number and bytes, for the process and for one source. A download counts until
 * its last byte has left or its connection is gone, so clients that do not read cannot exhaust the
 * memory.
 */
import { unavailable } from '../../../core/app-error.ts';

export type DownloadLimits = { downloads: number; bytes: number };

/** One client's connection: its source, and a callback for the end of the response. */
export type Connection = { source: string; onClose: (callback: () => void) => void };

export type Downloads = {
  /** @param bytes that the process holds for it @throws AppError `unavailable` above a limit */
  begin(connection: Connection, bytes: number): Download;
};

export type Download = {
  /**
   * Sets how many bytes the process now holds for it.
   * @throws AppError `unavailable` above a limit, and when the client has disconnected
   */
  hold(bytes: number): void;
};

/**
 * Memory of a streamed download: a chunk from the bucket, a chunk in the socket's buffer, and their
 * copies.
 */
export const STREAM_BYTES = 2 * 1024 * 1024;

/** Bounded so that an API with 512 MiB of memory keeps most of it for other requests. */
export const PROCESS_LIMITS: DownloadLimits = { downloads: 48, bytes: 160 * 1024 * 1024 };
export const SOURCE_LIMITS: DownloadLimits = { downloads: 16, bytes: 96 * 1024 * 1024 };

type Usage = { downloads: number; bytes: number };

export function createDownloads(
  perProcess: DownloadLimits = PROCESS_LIMITS,
  perSource: DownloadLimits = SOURCE_LIMITS,
): Downloads {
  const total: Usage = { downloads: 0, bytes: 0 };
  const bySource = new Map<string, Usage>();

  return {
    begin: function beginDownload({ source, onClose }, bytes) {
      const ofSource = bySource.get(source) ?? { downloads: 0, bytes: 0 };
      const change = (downloads: number, added: number) => {
        if (downloads > 0 || added > 0) {
          if (isAbove(total, downloads, added, perProcess))
            throw unavailable(new Error('the process has too many downloads in flight'));
          if (isAbove(ofSource, downloads, added, perSource))
            throw unavailable(new Error(`source ${source} has too many downloads in flight`));
        }
        for (const usage of [total, ofSource]) {
          usage.downloads += downloads;
          usage.bytes += added;
        }
      };
      change(1, bytes);
      bySource.set(source, ofSource);
      let held = bytes;
      let isOver = false;
      onClose(() => {
        isOver = true;
        change(-1, -held);
        if (ofSource.downloads === 0) bySource.delete(source);
      });
      return {
        hold: (now) => {
          if (isOver) throw unavailable(new Error('the client has disconnected'));
          change(0, now - held);
          held = now;
        },
      };
    },
  };
}

const isAbove = (usage: Usage, downloads: number, bytes: number, limits: DownloadLimits): boolean =>
  usage.downloads + downloads > limits.downloads || usage.bytes + bytes > limits.bytes;
