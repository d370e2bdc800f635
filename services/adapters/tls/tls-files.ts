/** A certificate and its key in two PEM files, looked at again and again: cert-manager renews them, Kubernetes swaps the link to the folder they are in. */
import { createHash, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';

export type TlsFiles = { certFile: string; keyFile: string };
export type TlsPair = {
  cert: Buffer;
  key: Buffer;
  /** Of the certificate itself, not of its chain. */ notAfter: Date;
};

/** @throws when a file cannot be read, is no PEM, or the key is another certificate's */
export async function readTlsPair(files: TlsFiles): Promise<TlsPair> {
  return pairOf(await readBoth(files));
}

export type TlsWatch = {
  everyMs: number;
  onNew: (pair: TlsPair) => void;
  /** Once for each fault: the files stay as they are until somebody changes them. */
  onBroken: (error: unknown) => void;
};

/** Calls `onNew` whenever the files hold another usable pair than before, which was `current` at first. */
export function watchTlsPair(
  files: TlsFiles,
  current: TlsPair,
  { everyMs, onNew, onBroken }: TlsWatch,
): Disposable {
  let seen = fingerprint(current);
  let fault: string | undefined;
  let isLooking = false;

  const look = async () => {
    const both = await readBoth(files);
    const found = fingerprint(both);
    if (found !== seen) onNew(pairOf(both));
    seen = found;
    fault = undefined;
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look()
      .catch((cause: unknown) => {
        const error = new Error(`certificate ${files.certFile} with key ${files.keyFile}`, {
          cause,
        });
        if (fault !== String(cause)) onBroken(error);
        fault = String(cause);
      })
      .finally(() => {
        isLooking = false;
      });
  }, everyMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

type Both = Omit<TlsPair, 'notAfter'>;

/** Both of one moment: the files may be swapped between two reads. */
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
