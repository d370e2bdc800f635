/**
 * An rspamd with its default rules that uses the DNS server of a test. Without rspamd and apt, its
 * tests are skipped with a reason.
 */
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { startProcess } from '../../services/standalone/processes/child-process.ts';
import { freePort } from '../../services/standalone/processes/ports.ts';
import { findWhereAptIs, unpackedPackages } from './debian-packages.ts';
import { testDir } from './servers.ts';
import { until } from './until.ts';

const START_TIMEOUT_MS = 90_000; // it loads many rules

export const RSPAMD_PASSWORD = 'open-sesame';

export type TestRspamd = AsyncDisposable & {
  url: string;
  /** The same rspamd, which requires {@link RSPAMD_PASSWORD}. */
  guardedUrl: string;
  /** SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>;
};

/** The folder where it is unpacked; `/` if it is installed. */
export const findRspamd = () =>
  findWhereAptIs('rspamd', () =>
    access('/usr/bin/rspamd').then(
      () => '/',
      () => unpackedPackages(['rspamd'], 'usr/bin/rspamd'),
    ),
  );

/** @param dnsServer address and port of its only name server */
export async function startRspamd(root: string, dnsServer: string): Promise<TestRspamd> {
  await using parts = new AsyncDisposableStack();
  const dir = parts.use(await testDir());
  const [port, guardedPort] = [await freePort(), await freePort()];
  const local = join(dir.path, 'etc');
  const files = {
    // compiling takes longer than these few emails
    'local.d/options.inc': [
      `dns { nameserver = ["${dnsServer}"]; timeout = 200ms; retransmits = 1; }`,
      'disable_hyperscan = true;',
    ].join('\n'),
    'local.d/worker-normal.inc': `bind_socket = "127.0.0.1:${port}"; count = 1;`,
    'override.d/worker-controller.inc': [
      `bind_socket = "127.0.0.1:${guardedPort}";`,
      `password = "${RSPAMD_PASSWORD}";`,
      'secure_ip = "192.0.2.1";',
      'count = 1;',
    ].join('\n'),
    'override.d/worker-proxy.inc': 'enabled = false;',
    'override.d/fuzzy_check.conf': 'enabled = false;',
    'override.d/logging.inc': 'type = "console"; level = "warning";',
  };
  for (const folder of ['etc/local.d', 'etc/override.d', 'db', 'log', 'run'])
    await mkdir(join(dir.path, folder), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(local, name), `${text}\n`);
  const share = join(root, 'usr/share/rspamd');
  const folders = {
    CONFDIR: join(root, 'etc/rspamd'),
    LOCAL_CONFDIR: local,
    DBDIR: join(dir.path, 'db'),
    LOGDIR: join(dir.path, 'log'),
    RUNDIR: join(dir.path, 'run'),
    RULESDIR: join(share, 'rules'),
    PLUGINSDIR: join(share, 'plugins'),
    LUALIBDIR: join(share, 'lualib'),
    SHAREDIR: share,
    WWWDIR: join(share, 'www'),
  };
  const libraries = [
    join(root, 'usr/lib/rspamd'),
    ...['x86_64-linux-gnu', 'aarch64-linux-gnu'].map((machine) => join(root, 'usr/lib', machine)),
  ];
  const rspamd = await startProcess({
    name: 'rspamd',
    command: join(root, 'usr/bin/rspamd'),
    args: [
      '--no-fork',
      '--insecure',
      '--config',
      join(root, 'etc/rspamd/rspamd.conf'),
      ...Object.entries(folders).map(([name, path]) => `--var=${name}=${path}`),
    ],
    env: { PATH: process.env.PATH, LD_LIBRARY_PATH: libraries.join(':') },
    logFile: join(dir.path, 'rspamd.log'),
  });
  const kill = async () => {
    // and its workers, for which it would wait
    if (!rspamd.hasExited()) process.kill(-rspamd.pid, 'SIGKILL');
    await rspamd.exited;
  };
  parts.defer(kill);
  const url = `http://127.0.0.1:${port}`;
  await until(
    'rspamd',
    async () => {
      if (rspamd.hasExited()) throw new Error(`rspamd exited: ${(await rspamd.tail()).join('\n')}`);
      return await fetch(`${url}/ping`, { signal: AbortSignal.timeout(1_000) }).then(
        ({ ok }) => ok,
        () => false,
      );
    },
    START_TIMEOUT_MS,
  ).catch(async (cause: unknown) => {
    throw new Error(`rspamd does not respond: ${(await rspamd.tail()).join('\n')}`, { cause });
  });
  const running = parts.move();
  return {
    url,
    guardedUrl: `http://127.0.0.1:${guardedPort}`,
    kill,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
