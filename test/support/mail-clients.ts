/** Clients that the world sends mail with: from this machine, or out of Debian's packages. Tests of those that cannot be had are skipped, and say why. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { unpackedPackages } from './debian-packages.ts';

const run = promisify(execFile);

/** Runs a client with these arguments, `input` on its standard input. @throws with all it said when it fails */
export type MailClient = (args: readonly string[], input?: string) => Promise<string>;

/** Postfix's load generator; undefined, with a line on standard error, where it cannot be had. */
export const findSmtpSource = () =>
  found('smtp-source', async () => {
    const root = await unpackedPackages(['postfix'], 'usr/sbin/smtp-source');
    const client = clientOf(join(root, 'usr/sbin/smtp-source'), { LD_LIBRARY_PATH: join(root, 'usr/lib/postfix') });
    await client([]).catch((error: unknown) => {
      if (!String(error).includes('usage: ')) throw error; // a library is missing
    });
    return client;
  });

export const findSwaks = () =>
  found('swaks', async () => {
    const root = await unpackedPackages(['swaks', 'libnet-ssleay-perl'], 'usr/bin/swaks');
    const client = clientOf('perl', { PERL5LIB: (await perlFolders(join(root, 'usr/lib'))).join(':') }, [join(root, 'usr/bin/swaks')]);
    await client(['--version']);
    return client;
  });

export const findPython = () => onPath('python3', ['-c', 'import smtplib']);
export const findOpenssl = () => onPath('openssl', ['version']);

const onPath = (name: string, probe: readonly string[]) =>
  found(name, async () => {
    const client = clientOf(name);
    await client(probe);
    return client;
  });

async function found(name: string, find: () => Promise<MailClient>): Promise<MailClient | undefined> {
  try {
    return await find();
  } catch (error) {
    process.stderr.write(`skipped: ${name} is not to be had here: ${String(error).split('\n')[0]}\n`);
    return undefined;
  }
}

function clientOf(program: string, env: NodeJS.ProcessEnv = {}, first: readonly string[] = []): MailClient {
  return async function runClient(args, input) {
    const running = run(program, [...first, ...args], { env: { ...process.env, ...env }, timeout: 60_000 });
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
  return folders.filter((path) => /^[^/]+\/perl5\/[^/]+$/.test(path)).map((path) => join(lib, path));
}
