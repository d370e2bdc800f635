/**
 * A certificate and its key in two PEM files, read again at an interval: cert-manager renews them,
 * and Kubernetes replaces the link to their folder.
 */
import { createHash, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';

export type TlsFiles = { certFile: string; keyFile: string };
export type TlsPair = {
  cert: Buffer;
  key: Buffer;
  /** Expiry of the certificate itself, not of its chain. */
  notAfter: Date;
};

/** @throws when a file cannot be read, is not PEM, or the key belongs to another certificate */
export async function readTlsPair(files: TlsFiles): Promise<TlsPair> {
  return pairOf(await readBoth(files));
}

type TlsWatch = {
  everyMs: number;
  onNew: (pair: TlsPair) => void;
  /**
   * Called at each check while the files are broken.
   * @param isNew false: the same pair was broken, or the files unreadable, at the check before
   */
  onBroken: (error: unknown, isNew: boolean) => void;
};

/** Calls `onNew` when the files contain another usable pair. @param current the pair in use now */
export function watchTlsPair(
  files: TlsFiles,
  current: TlsPair,
  { everyMs, onNew, onBroken }: TlsWatch,
): Disposable {
  let inUse = fingerprint(current);
  let reported: string | undefined;
  let isChecking = false;

  const check = async () => {
    let found = 'unreadable';
    try {
      const both = await readBoth(files);
      found = fingerprint(both);
      if (found !== inUse) onNew(pairOf(both));
      inUse = found;
      reported = undefined;
    } catch (cause) {
      const error = new Error(`certificate ${files.certFile} with key ${files.keyFile}`, { cause });
      onBroken(error, found !== reported);
      reported = found;
    }
  };
  const timer = setInterval(() => {
    if (isChecking) return;
    isChecking = true;
    void check().finally(() => {
      isChecking = false;
    });
  }, everyMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

type Both = Omit<TlsPair, 'notAfter'>;

/** Reads a matching pair: the files may be replaced between two reads. */
async function readBoth({ certFile, keyFile }: TlsFiles): Promise<Both> {
  for (let tries = 0; ; tries++) {
    const cert = await readFile(certFile);
    const key = await readFile(keyFile);
    if (tries === 3 || cert.equals(await readFile(certFile))) return { cert, key };
  }
}

function pairOf({ cert, key }: Both): TlsPair {
  createSecureContext({ cert, key });
  return { cert, key, notAfter: new X509Certificate(cert).validToDate };
}

const fingerprint = ({ cert, key }: Both): string =>
  createHash('sha256').update(cert).update('\0').update(key).digest('hex');
