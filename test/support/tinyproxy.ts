/**
 * A tinyproxy that opens tunnels for one user, installed or from the Debian package. Without it and
 * without apt, its tests are skipped with a reason.
 */
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { startProcess } from '../../services/standalone/processes/child-process.ts';
import { freePort } from '../../services/standalone/processes/ports.ts';
import { findWhereAptIs, unpackedPackages } from './debian-packages.ts';
import { testDir } from './servers.ts';
import { atMost } from './slowdown.ts';

const START_TIMEOUT_MS = 20_000;

export type Tinyproxy = AsyncDisposable & {
  port: number;
  /** With the user name and the password. */
  url: string;
  /** The targets of its CONNECT requests, as they arrived. */
  targets(): Promise<string[]>;
};

export const PROXY_USER = 'inlet';
export const PROXY_PASSWORD = 'p-a.s_s1';

/** The program. */
export const findTinyproxy = () =>
  findWhereAptIs('tinyproxy', () =>
    access('/usr/bin/tinyproxy').then(
      () => '/usr/bin/tinyproxy',
      async () =>
        join(await unpackedPackages(['tinyproxy-bin'], 'usr/bin/tinyproxy'), 'usr/bin/tinyproxy'),
    ),
  );

export async function startTinyproxy(program: string): Promise<Tinyproxy> {
  await using parts = new AsyncDisposableStack();
  const dir = parts.use(await testDir());
  const port = await freePort();
  const [config, logFile] = [join(dir.path, 'tinyproxy.conf'), join(dir.path, 'tinyproxy.log')];
  const lines = [
    `Port ${port}`,
    'Listen 127.0.0.1',
    'Timeout 60',
    'MaxClients 50',
    `BasicAuth ${PROXY_USER} ${PROXY_PASSWORD}`,
    'LogLevel Info',
  ];
  await writeFile(config, `${lines.join('\n')}\n`);
  const proxy = await startProcess({
    name: 'tinyproxy',
    command: program,
    args: ['-d', '-c', config],
    env: {},
    logFile,
  });
  parts.use(proxy);
  await proxy.announced(
    (line) => (line.includes('Accepting connections') ? true : undefined),
    atMost(START_TIMEOUT_MS),
  );
  const started = parts.move();
  return {
    port,
    url: `http://${PROXY_USER}:${encodeURIComponent(PROXY_PASSWORD)}@127.0.0.1:${port}`,
    targets: async () =>
      [
        ...(await readFile(logFile, 'utf8')).matchAll(
          /Request \(file descriptor \d+\): CONNECT (\S+) /g,
        ),
      ].map(([, target = '']) => target),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
