/**
 * Finds the two servers that Inlet needs, nats-server and mongod: at the path from the settings, on
 * PATH, or in the cache. Otherwise it downloads them; binary-sources.ts says from where and with
 * which checksums. The first one that runs on this machine and is recent enough is used.
 */
import { access, constants, mkdir, statfs } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

import { causeChain } from '../../adapters/process/log.ts';
import { installBinary, versionOf, type Version } from './binary-install.ts';
import {
  mongodSources,
  NATS_SERVER_VERSION,
  natsServerSources,
  type Source,
} from './binary-sources.ts';
import { reportingProgress } from './progress.ts';

/** Prints one line of progress, with sizes and times. */
export type Report = (line: string) => void;

export type BinaryKind = {
  name: string;
  /** File in the cache. A pinned version is part of it: checkouts that share a cache may differ. */
  cacheName: string;
  /** The setting with the path of a binary. */
  pathSetting: string;
  /** The setting with the URL of a running server, which makes a binary unnecessary. */
  urlSetting: string;
  atLeast: { major: number; minor: number };
  /** Disk space that a download needs at most. */
  fetchBytes: number;
  sources: readonly Source[];
};

export type Finder = { env: NodeJS.ProcessEnv; cacheDir: string; report: Report };

export type Binary = { path: string; version: Version };

const platform = `${process.platform}-${process.arch}`;

export const NATS_SERVER: BinaryKind = {
  name: 'nats-server',
  cacheName: `nats-server-${NATS_SERVER_VERSION}`,
  pathSetting: 'NATS_SERVER_BIN',
  urlSetting: 'NATS_URL',
  atLeast: { major: 2, minor: 11 },
  fetchBytes: 60e6,
  sources: natsServerSources(platform),
};

export const MONGOD: BinaryKind = {
  name: 'mongod',
  cacheName: 'mongod',
  pathSetting: 'MONGOD_BIN',
  urlSetting: 'MONGODB_URI',
  atLeast: { major: 6, minor: 0 },
  fetchBytes: 500e6,
  sources: mongodSources(platform),
};

/**
 * @throws one sentence that lists the ways to provide one, if there is none and none can be
 * downloaded
 */
export async function findBinary(kind: BinaryKind, finder: Finder): Promise<Binary> {
  const named = finder.env[kind.pathSetting];
  if (named) return namedBinary(kind, named);
  return (
    (await onPath(kind, finder)) ?? (await cached(kind, finder)) ?? (await fetched(kind, finder))
  );
}

async function namedBinary(kind: BinaryKind, path: string): Promise<Binary> {
  const version = await versionOf(path).catch((cause: unknown) => {
    throw new Error(`cannot use ${kind.pathSetting}`, { cause });
  });
  if (!isSufficient(kind, version))
    throw new Error(
      `${kind.pathSetting} is ${kind.name} ${version.text}, but ${wanted(kind)} is needed`,
    );
  return { path, version };
}

async function onPath(kind: BinaryKind, finder: Finder): Promise<Binary | undefined> {
  for (const dir of (finder.env.PATH ?? '').split(delimiter)) {
    const found = dir === '' ? undefined : await usable(kind, join(dir, kind.name));
    if (found) return found;
  }
  return undefined;
}

const cached = (kind: BinaryKind, finder: Finder) =>
  usable(kind, join(finder.cacheDir, kind.cacheName));

async function usable(kind: BinaryKind, path: string): Promise<Binary | undefined> {
  try {
    await access(path, constants.X_OK);
    const version = await versionOf(path);
    return isSufficient(kind, version) ? { path, version } : undefined;
  } catch {
    return undefined; // missing, or built for another machine: try the next one
  }
}

async function fetched(kind: BinaryKind, { env, cacheDir, report }: Finder): Promise<Binary> {
  await requireSpace(kind, cacheDir);
  const target = join(cacheDir, kind.cacheName);
  const faults: string[] = [];
  for (const source of kind.sources) {
    const startedMs = Date.now();
    try {
      let bytes = 0;
      report(`downloading ${kind.name}: ${source.name} …`);
      const version = await installBinary(target, async (dir) => {
        const what = `${kind.name}: ${source.name}`;
        const download = await reportingProgress({ dir, what, report }, () =>
          source.fetch(dir, env),
        );
        bytes = download.bytes;
        return download.binary;
      });
      if (!isSufficient(kind, version)) throw new Error(`it is version ${version.text}`);
      report(
        `downloaded ${kind.name} ${version.text}, ${(bytes / 1e6).toFixed(1)} MB ` +
          `in ${((Date.now() - startedMs) / 1000).toFixed(1)} s`,
      );
      return { path: target, version };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
        throw new Error(`the disk is full: ${kind.name} cannot be stored in ${cacheDir}`, {
          cause: error,
        });
      faults.push(`${source.name}: ${causeChain(error)}`);
    }
  }
  throw new Error(
    `${kind.name} is missing and could not be downloaded: put ${wanted(kind)} on PATH, set ${kind.pathSetting} ` +
      `to its path, or set ${kind.urlSetting} to a running server (tried ${faults.join('; ')})`,
  );
}

async function requireSpace({ name, fetchBytes }: BinaryKind, cacheDir: string): Promise<void> {
  await mkdir(cacheDir, { recursive: true });
  const { bavail, bsize } = await statfs(cacheDir);
  if (bavail * bsize >= fetchBytes) return;
  throw new Error(
    `the disk is full: ${name} needs ${fetchBytes / 1e6} MB in ${cacheDir}, ` +
      `${Math.floor((bavail * bsize) / 1e6)} MB are free`,
  );
}

const wanted = (kind: BinaryKind) =>
  `${kind.name} ${kind.atLeast.major}.${kind.atLeast.minor} or later`;

function isSufficient({ atLeast }: BinaryKind, { major, minor }: Version): boolean {
  return major > atLeast.major || (major === atLeast.major && minor >= atLeast.minor);
}
