/**
 * A clamd whose only signature is that of the EICAR test file. Without clamd and apt, its tests are
 * skipped with a reason.
 */
import { createHash } from 'node:crypto';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createTar } from 'nanotar';

import {
  type ChildProcess,
  startProcess,
} from '../../services/standalone/processes/child-process.ts';
import { freePort } from '../../services/standalone/processes/ports.ts';
import { findWhereAptIs, unpackedPackages } from './debian-packages.ts';
import { testDir } from './servers.ts';
import { until } from './until.ts';

/** Every scanner takes these bytes for malware. In parts, so that none takes this file for it. */
export const EICAR = [
  'X5O!P%@AP[4\\PZX54(P^)7CC)7}',
  '$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!',
  '$H+H*',
].join('');
/** As clamd calls it: it adds UNOFFICIAL to signatures that are not ClamAV's own. */
export const EICAR_NAME = 'Eicar-Test.UNOFFICIAL';
/** Larger streams are refused. */
export const STREAM_MAX_BYTES = 1024 * 1024;
/** It does not look into larger files. */
export const FILE_MAX_BYTES = 600 * 1024;

const RELOADED = 'Database correctly reloaded';

export type TestClamd = AsyncDisposable & {
  /** Values of CLAMD. */
  tcp: string;
  unix: string;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** After a kill, on the same port. */
  restart(): Promise<void>;
  /** SIGSTOP: it accepts connections and does nothing. */
  freeze(): void;
  resume(): void;
  /** Loads signatures that were built at this time. */
  load(builtAt: Date): Promise<void>;
};

/** The folder where it is unpacked; `/` if it is installed. */
export const findClamd = () =>
  findWhereAptIs('clamd', () =>
    access('/usr/sbin/clamd').then(
      () => '/',
      () => unpackedPackages(['clamav-daemon'], 'usr/sbin/clamd'),
    ),
  );

/** @param builtAt when its signatures were built, if it is to say so */
export async function startClamd(root: string, builtAt?: Date): Promise<TestClamd> {
  await using parts = new AsyncDisposableStack();
  const dir = parts.use(await testDir());
  const port = await freePort();
  const [database, socket] = [join(dir.path, 'db'), join(dir.path, 'clamd.sock')];
  await mkdir(database);
  const signature = Buffer.from(EICAR).toString('hex');
  await writeFile(join(database, 'eicar.ndb'), `Eicar-Test:0:*:${signature}\n`);
  if (builtAt) await writeFile(join(database, 'daily.cud'), signaturesOf(builtAt));
  const settings = {
    Foreground: 'yes',
    DatabaseDirectory: database,
    TemporaryDirectory: dir.path,
    TCPSocket: port,
    TCPAddr: '127.0.0.1',
    LocalSocket: socket,
    StreamMaxLength: STREAM_MAX_BYTES,
    MaxFileSize: FILE_MAX_BYTES,
    AlertExceedsMax: 'yes',
    AlertEncryptedArchive: 'yes',
  };
  const file = join(dir.path, 'clamd.conf');
  await writeFile(
    file,
    Object.entries(settings)
      .map(([name, value]) => `${name} ${value}\n`)
      .join(''),
  );
  const libraries = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map((machine) =>
    join(root, 'usr/lib', machine),
  );
  let clamd: ChildProcess | undefined;
  const start = async () => {
    clamd = await startProcess({
      name: 'clamd',
      command: join(root, 'usr/sbin/clamd'),
      args: ['--config-file', file],
      env: { PATH: process.env.PATH, LD_LIBRARY_PATH: libraries.join(':') },
      logFile: join(dir.path, 'clamd.log'),
    });
    await until('clamd', () =>
      access(socket).then(
        () => true,
        () => false,
      ),
    );
  };
  const kill = async () => {
    await clamd?.kill();
  };
  parts.defer(kill);
  await start();
  const running = parts.move();
  return {
    tcp: `tcp://127.0.0.1:${port}`,
    unix: `unix:${socket}`,
    kill,
    restart: start,
    freeze: () => clamd && process.kill(clamd.pid, 'SIGSTOP'),
    resume: () => clamd && process.kill(clamd.pid, 'SIGCONT'),
    load: async (at) => {
      await writeFile(join(database, 'daily.cud'), signaturesOf(at));
      await reload(port, join(dir.path, 'clamd.log'));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** A file of unsigned signatures: clamd tells its date as that of ClamAV's own. */
function signaturesOf(builtAt: Date): Buffer {
  const seconds = Math.floor(builtAt.getTime() / 1_000);
  const [weekday, day, month, year, time = ''] = builtAt.toUTCString().split(' ');
  if (weekday === undefined) throw new Error('not a date');
  const date = `${day} ${month} ${year} ${time.slice(0, 5).replace(':', '-')} +0000`;
  const header = `ClamAV-VDB:${date}:27800:1:63:X:X:test:${seconds}`;
  const name = 'daily.ndb';
  const signature = `Test-Only:0:*:${Buffer.from('a signature of the tests').toString('hex')}\n`;
  const digest = createHash('sha256').update(signature).digest('hex');
  const info = `${header}\n${name}:${signature.length}:${digest}\n`;
  const tar = createTar([
    { name: 'daily.info', data: info },
    { name, data: signature },
  ]);
  return Buffer.concat([Buffer.from(header.padEnd(512)), gzipSync(tar)]);
}

async function reload(port: number, logFile: string): Promise<void> {
  const before = (await readFile(logFile, 'utf8')).split(RELOADED).length;
  connect(port, '127.0.0.1')
    .on('error', () => undefined)
    .end('zRELOAD\0');
  await until(
    'clamd to reload',
    async () => (await readFile(logFile, 'utf8')).split(RELOADED).length > before,
  );
}
