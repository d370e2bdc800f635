/**
 * `npm run check:dependencies` against registries of the test: what is behind, what is late, and a
 * registry that does not answer. docs/project/dependencies.md and Dependabot know everything that is used.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';

import { exceptionsOf, lockedPackages, type LockFile } from './judgement.ts';

const run = promisify(execFile);
const CHECKOUT = join(import.meta.dirname, '..', '..');
const MAIN = join(CHECKOUT, 'test', 'dependencies', 'main.ts');

const read = (...path: string[]) => readFile(join(CHECKOUT, ...path), 'utf8');
const DAY_MS = 86_400_000;
/** And a half: on a busy machine, the registry may be asked minutes after the check began. */
const daysAgo = (days: number) => new Date(Date.now() - (days + 0.5) * DAY_MS).toISOString();

/** Days since each version was published. */
const PUBLISHED: Record<string, Record<string, number>> = {
  current: { '1.0.0': 300 },
  late: { '1.0.0': 300, '1.0.1': 15, '1.1.0': 2, '2.0.0-rc.1': 1 },
  fresh: { '1.0.0': 300, '1.0.1': 14 },
  major: { '1.9.0': 300, '2.0.0': 200 },
  nested: { '0.1.0': 300, '0.2.0': 100 },
  excused: { '3.0.0': 300, '3.0.1': 100 },
  developed: { '1.0.0': 300, '1.5.0': 100 },
};

let server: Server;
let registry: string;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-dependencies-'));
  server = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? '').slice(1));
    const versions = PUBLISHED[name];
    if (versions === undefined) {
      response.writeHead(404).end('{}');
      return;
    }
    const stable = Object.keys(versions).filter((version) => !version.includes('-'));
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        name,
        'dist-tags': { latest: stable.at(-1) },
        versions: Object.fromEntries(
          Object.keys(versions).map((version) => [
            version,
            { name, version, dist: { tarball: `${registry}/${name}.tgz`, shasum: '0' } },
          ]),
        ),
        time: Object.fromEntries(
          Object.entries(versions).map(([version, days]) => [version, daysAgo(days)]),
        ),
      }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const nameOf = (place: string) => place.split('node_modules/').at(-1) ?? '';

/** A project in which these packages are installed, by their place in node_modules. */
async function project(installed: Record<string, { version: string; dev?: boolean }>) {
  const root = await mkdtemp(join(folder, 'project-'));
  const write = async (path: string, value: unknown) => {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), typeof value === 'string' ? value : JSON.stringify(value));
  };
  const versionsOf = (places: string[]) =>
    Object.fromEntries(places.map((place) => [nameOf(place), installed[place]?.version]));
  const all = Object.keys(installed);
  const within = (outer: string) => all.filter((place) => place.startsWith(`${outer}/`));
  const direct = all.filter((place) => place.lastIndexOf('node_modules/') === 0);
  const root_ = { name: 'project', version: '1.0.0', dependencies: versionsOf(direct) };
  await write('package.json', root_);
  const packages = Object.fromEntries(
    all.map((place) => [place, { ...installed[place], dependencies: versionsOf(within(place)) }]),
  );
  await write('package-lock.json', { lockfileVersion: 3, packages: { '': root_, ...packages } });
  for (const place of all)
    await write(join(place, 'package.json'), { name: nameOf(place), ...packages[place] });
  await write(
    'docs/project/dependencies.md',
    '## Exceptions\n\n| package | version | reason |\n| --- | --- | --- |\n' +
      '| `excused` | `3.0.0` | it is not used |\n| `late` | `0.9.0` | long ago |\n',
  );
  return root;
}

const check = (cwd: string, from = registry) =>
  run(process.execPath, [MAIN], {
    cwd,
    env: {
      ...process.env,
      npm_config_registry: from,
      npm_config_cache: join(folder, 'cache'),
      npm_config_fetch_retries: '0',
      npm_config_update_notifier: 'false',
    },
  }).then(
    ({ stdout }) => ({ status: 0, lines: stdout.trim().split('\n') }),
    ({ code, stdout }: { code: number; stdout: string }) => ({
      status: code,
      lines: stdout.trim().split('\n'),
    }),
  );

test('a late package of production fails, also a nested one; everything newer is listed', async () => {
  const { status, lines } = await check(
    await project({
      'node_modules/current': { version: '1.0.0' },
      'node_modules/current/node_modules/nested': { version: '0.1.0' },
      'node_modules/late': { version: '1.0.0' },
      'node_modules/fresh': { version: '1.0.0' },
      'node_modules/major': { version: '1.9.0' },
      'node_modules/excused': { version: '3.0.0' },
      'node_modules/developed': { version: '1.0.0', dev: true },
    }),
  );
  expect(lines.slice(0, -2).toSorted()).toEqual([
    'LATE late 1.0.0 → 1.1.0 (for 15 days)',
    'LATE nested 0.1.0 → 0.2.0 (for 100 days)  in node_modules/current/node_modules/nested',
    'dev  developed 1.0.0 → latest 1.5.0',
    'run  excused 3.0.0 → 3.0.1 (for 100 days)',
    'run  fresh 1.0.0 → 1.0.1 (for 14 days)',
    'run  major 1.9.0 → latest 2.0.0',
  ]);
  expect(lines.at(-2)).toBe('7 packages, 6 with a newer release, 2 late');
  expect(status).toBe(1);
});

test('with nothing late, it succeeds', async () => {
  const { status, lines } = await check(
    await project({ 'node_modules/current': { version: '1.0.0' } }),
  );
  expect([status, lines]).toEqual([0, ['1 packages, 0 with a newer release, 0 late']]);
});

test('a registry that does not answer is said clearly, with a status of its own', async () => {
  const gone = createServer().listen(0, '127.0.0.1');
  await once(gone, 'listening');
  const { port } = gone.address() as AddressInfo;
  gone.close();
  await once(gone, 'close');
  const root = await project({ 'node_modules/current': { version: '1.0.0' } });
  const { status, lines } = await check(root, `http://127.0.0.1:${port}`);
  expect(status).toBe(2);
  expect(lines[0]).toMatch(/^Cannot ask npm's registry, so nothing was checked: ECONNREFUSED/);
});

test('docs/project/dependencies.md names each package of production, and its exceptions are locked', async () => {
  const page = await read('docs', 'project', 'dependencies.md');
  const { dependencies } = JSON.parse(await read('package.json')) as {
    dependencies: Record<string, string>;
  };
  const missing = Object.keys(dependencies).filter(
    (name) => !page.includes(`\`${name.replace(/^@opentelemetry\/.*/, '@opentelemetry/…')}\``),
  );
  expect(missing).toEqual([]);
  const lock = JSON.parse(await read('package-lock.json')) as LockFile;
  const locked = new Set(lockedPackages(lock).map(({ name, version }) => `${name}@${version}`));
  const excused = exceptionsOf(page);
  expect(excused.size).toBe(page.match(/^\| `[^`]+` \| `\d[^`]*` \|/gm)?.length);
  expect([...excused].filter((one) => !locked.has(one))).toEqual([]);
});

test('the lock file names no registry', async () => {
  expect(await read('package-lock.json')).not.toContain('"resolved"');
});

test('nested packages are the mended releases', async () => {
  const lock = JSON.parse(await read('package-lock.json')) as LockFile;
  const versions = (wanted: string) => [
    ...new Set(
      lockedPackages(lock).flatMap(({ name, version }) => (name === wanted ? version : [])),
    ),
  ];
  for (const name of ['nodemailer', 'mailparser', 'undici', 'libmime', 'mongodb'])
    expect([name, versions(name)]).toEqual([name, [expect.any(String)]]);
});

const images = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, one]) => one);

test('Dependabot watches npm, actions, the base images, and the images of NATS and MongoDB', async () => {
  const { updates } = parse(await read('.github', 'dependabot.yml')) as {
    updates: { 'package-ecosystem': string; directory: string }[];
  };
  expect(updates.map((one) => [one['package-ecosystem'], one.directory])).toEqual([
    ['npm', '/'],
    ['github-actions', '/'],
    ['docker', '/.github/base-images'],
    ['helm', '/charts/inlet'],
    ['docker-compose', '/docs/examples/one-machine'],
  ]);
  expect(images(await read('.github/base-images/Dockerfile'), /^FROM (\S+)/gm)).toEqual(
    images(await read('Dockerfile'), /^ARG \w+_IMAGE=(\S+)/gm),
  );
});
