/**
 * Common mail clients: those of this machine, or from Debian packages. Without both, their tests
 * are skipped with a reason.
 */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { findWhereAptIs, unpackedPackages } from './debian-packages.ts';
import { noteSkip } from './skip-notes.ts';

const run = promisify(execFile);

/**
 * Runs a client with `input` as its standard input; returns its output. @throws with that output if
 * the client fails
 */
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
    noteSkip(`${name} is missing`);
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

/** The module folders of packages for this machine's Perl: `<triplet>/perl5/<version>`. */
async function perlFolders(lib: string): Promise<string[]> {
  const folders = await readdir(lib, { recursive: true });
  return folders
    .filter((path) => /^[^/]+\/perl5\/[^/]+$/.test(path))
    .map((path) => join(lib, path));
}
