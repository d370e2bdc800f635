/** Clients that the world sends mail with: from this machine, or out of Debian's packages. Where there is no such program, nor apt, tests are skipped and say why. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { findWhereAptIs, unpackedPackages } from './debian-packages.ts';

const run = promisify(execFile);

/** Runs a client with these arguments, `input` on its standard input. @throws with all it said when it fails */
export type MailClient = (args: readonly string[], input?: string) => Promise<string>;

/** Postfix's load generator. */
export const findSmtpSource = () =>
  findWhereAptIs('smtp-source', async () => {
    const root = await unpackedPackages(['postfix'], 'usr/sbin/smtp-source');
    const client = clientOf(join(root, 'usr/sbin/smtp-source'), {
      LD_LIBRARY_PATH: join(root, 'usr/lib/postfix'),
    });
    await client([]).catch((error: unknown) => {
      if (!String(error).includes('usage: ')) throw error; // a library is missing
    });
    return client;
  });

export const findSwaks = () =>
  findWhereAptIs('swaks', async () => {
    const root = await unpackedPackages(['swaks', 'libnet-ssleay-perl'], 'usr/bin/swaks');
    const client = clientOf(
      'perl',
      { PERL5LIB: (await perlFolders(join(root, 'usr/lib'))).join(':') },
      [join(root, 'usr/bin/swaks')],
    );
    await client(['--version']);
    return client;
  });

export const findPython = () => onPath('python3', ['-c', 'import smtplib']);
export const findOpenssl = () => onPath('openssl', ['version']);

async function onPath(name: string, probe: readonly string[]): Promise<MailClient | undefined> {
  const client = clientOf(name);
  try {
    await client(probe);
    return client;
  } catch (error) {
    if (((error as Error).cause as NodeJS.ErrnoException | undefined)?.code !== 'ENOENT')
      throw error;
    process.stderr.write(`skipped: there is no ${name} here\n`);
    return undefined;
  }
}

function clientOf(
  program: string,
  env: NodeJS.ProcessEnv = {},
  first: readonly string[] = [],
): MailClient {
  return async function runClient(args, input) {
    const running = run(program, [...first, ...args], {
      env: { ...process.env, ...env },
      timeout: 60_000,
    });
    running.child.stdin?.on('error', () => undefined).end(input);
    try {
      const { stdout, stderr } = await running;
      return stdout + stderr;
    } catch (cause) {
      const { stdout = '', stderr = '' } = cause as { stdout?: string; stderr?: string };
      throw new Error(`${program}: ${stdout}${stderr}`, { cause });
    }
  };
}

/** Where a package for this machine's Perl keeps its modules: `<triplet>/perl5/<version>`. */
async function perlFolders(lib: string): Promise<string[]> {
  const folders = await readdir(lib, { recursive: true });
  return folders
    .filter((path) => /^[^/]+\/perl5\/[^/]+$/.test(path))
    .map((path) => join(lib, path));
}
