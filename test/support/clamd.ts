/**
 * A clamd whose only signature is that of the EICAR test file. Without clamd and apt, its tests are
 * skipped with a reason.
 */
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

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
};

/** The folder where it is unpacked; `/` if it is installed. */
export const findClamd = () =>
  findWhereAptIs('clamd', () =>
    access('/usr/sbin/clamd').then(
      () => '/',
      () => unpackedPackages(['clamav-daemon'], 'usr/sbin/clamd'),
    ),
  );

export async function startClamd(root: string): Promise<TestClamd> {
  await using parts = new AsyncDisposableStack();
  const dir = parts.use(await testDir());
  const port = await freePort();
  const [database, socket] = [join(dir.path, 'db'), join(dir.path, 'clamd.sock')];
  await mkdir(database);
  const signature = Buffer.from(EICAR).toString('hex');
  await writeFile(join(database, 'eicar.ndb'), `Eicar-Test:0:*:${signature}\n`);
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
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
