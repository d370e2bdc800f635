/**
 * The receivers of docs/examples/: how a test copies, installs and starts each. In the copy, the
 * work of a program waits while a file exists.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { installFromNpm } from '../contract/tools.ts';
import { findWhereAptIs, unpackedPackages } from '../support/debian-packages.ts';
import { atMost } from '../support/slowdown.ts';
import { CHECKOUT } from './pages.ts';

const run = promisify(execFile);
export const EXAMPLES = join(CHECKOUT, 'docs', 'examples');
const CACHE = join(process.env.INLET_CACHE || join(CHECKOUT, '.inlet', 'cache'), 'examples');
const NODE_PACKAGES = { express: '5.3.0', fastify: '5.12.8', standardwebhooks: '1.1.1' };
const NEXT_PACKAGES = {
  next: '16.4.6',
  react: '19.3.1',
  'react-dom': '19.3.1',
  standardwebhooks: '1.1.1',
  typescript: '7.0.2',
  '@types/node': '24.19.2',
  '@types/react': '19.3.0',
};
const PYTHON_PACKAGES = ['flask', 'fastapi', 'uvicorn', 'django', 'standardwebhooks==1.1.0'];
const BUILD_TIMEOUT_MS = 200_000;

/** `folder` is a copy for this run, to be removed. */
export type Program = { command: string; args: string[]; env?: NodeJS.ProcessEnv; folder?: string };
/** Undefined when this machine cannot run it. @param folder empty */
type Prepare = (file: string, folder: string) => Promise<Program | undefined>;

/** Variable with the path of the file for which work waits. */
export const GATE = 'WORK_WAITS_WHILE_FILE_EXISTS';

/** What makes `work` of each language wait, inserted into the copy of the program. */
const WAITS: readonly [from: RegExp, to: string][] = [
  [
    /^async function work\(email\) \{\n/m,
    `$&  const { existsSync } = process.getBuiltinModule('node:fs');
  while (existsSync(process.env.${GATE})) await new Promise((done) => setTimeout(done, 20));\n`,
  ],
  [
    /^function work\(email(: \w+)?\) \{\n/m,
    `$&  const { existsSync } = process.getBuiltinModule('node:fs');
  const never = new Int32Array(new SharedArrayBuffer(4));
  while (existsSync(process.env.${GATE} ?? '')) Atomics.wait(never, 0, 0, 20);\n`,
  ],
  [
    /^def work\(email\):\n/m,
    `$&    import time
    while os.path.exists(os.environ["${GATE}"]):
        time.sleep(0.02)\n`,
  ],
  [
    /^func work\(email Email\) \{/m,
    `$&
	for _, err := os.Stat(os.Getenv("${GATE}")); err == nil; _, err = os.Stat(os.Getenv("${GATE}")) {
		time.Sleep(20 * time.Millisecond)
	}\n`,
  ],
  [
    /^function work\(array \$email\): void\n\{\n/m,
    `$&    while (file_exists(getenv('${GATE}'))) { usleep(20000); clearstatcache(); }\n`,
  ],
  [
    /^ {4}static void work\(JsonNode email\) \{\n/m,
    `$&        while (new java.io.File(System.getenv("${GATE}")).exists())
            java.util.concurrent.locks.LockSupport.parkNanos(20_000_000);\n`,
  ],
  [/^def work\(email\)\n/m, `$&  sleep 0.02 while File.exist?(ENV.fetch('${GATE}'))\n`],
];

/** @returns the path of the copy */
async function copyInto(folder: string, file: string, name = file): Promise<string> {
  const source = await readFile(join(EXAMPLES, file), 'utf8');
  const waiting = WAITS.reduce((text, [from, to]) => text.replace(from, to), source);
  if (waiting === source) throw new Error(`${file} has no function work of the usual form`);
  await writeFile(join(folder, name), waiting);
  return join(folder, name);
}

const node: Prepare = async (file) => {
  const tools = await installFromNpm('example-receivers', NODE_PACKAGES);
  if (tools === undefined) return undefined;
  const folder = await mkdtemp(join(tools, 'run-'));
  return { command: process.execPath, args: [await copyInto(folder, file)], folder };
};

/** Next.js checks the types of the route when it builds. */
const next: Prepare = async (file) => {
  const tools = await installFromNpm('next-receiver', NEXT_PACKAGES);
  if (tools === undefined) return undefined;
  const folder = await mkdtemp(join(tools, 'run-'));
  await cp(join(EXAMPLES, 'types', 'inlet.ts'), join(folder, 'app', 'inlet.ts'));
  await copyInto(join(folder, 'app'), file, 'route.ts');
  const program = join(tools, 'node_modules', 'next', 'dist', 'bin', 'next');
  const env = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' as const };
  const options = { env: { ...process.env, ...env }, timeout: atMost(BUILD_TIMEOUT_MS) };
  await run(process.execPath, [program, 'build', folder], options);
  return { command: process.execPath, args: [program, 'start', folder], env, folder };
};

const python: Prepare = async (file, folder) => {
  const target = join(CACHE, 'python');
  const env = { PYTHONPATH: target };
  const options = { env: { ...process.env, ...env } };
  const imports = 'import flask, fastapi, uvicorn, django, standardwebhooks';
  const isInstalled = run('python3', ['-c', imports], options);
  try {
    await isInstalled.catch(() =>
      run('python3', ['-m', 'pip', 'install', '--quiet', '--target', target, ...PYTHON_PACKAGES]),
    );
  } catch {
    return undefined;
  }
  return { command: 'python3', args: [await copyInto(folder, file)], env };
};

const go: Prepare = async (file, folder) => {
  const [, setup = ''] =
    /^\/\/ Go, net\/http\. (.*)$/m.exec(await readFile(join(EXAMPLES, file), 'utf8')) ?? [];
  await copyInto(folder, file);
  if (
    !(await run('go', ['version']).then(
      () => true,
      () => false,
    ))
  )
    return undefined;
  await run('sh', ['-c', `set -e; ${setup}`], { cwd: folder });
  await run('go', ['build', '-o', 'program', '.'], { cwd: folder });
  return { command: join(folder, 'program'), args: [] };
};

/** Maven finds Spring's packages; they are in its own cache from then on. */
const java: Prepare = async (file, folder) => {
  const maven = (args: string[]) =>
    run('mvn', ['--batch-mode', '--quiet', ...args], {
      cwd: folder,
      timeout: atMost(BUILD_TIMEOUT_MS),
    });
  const hasMaven = await Promise.all([run('mvn', ['--version']), run('javac', ['--version'])]).then(
    () => true,
    () => false,
  );
  const source = await copyInto(folder, file);
  if (!hasMaven) return undefined;
  await writeFile(join(folder, 'pom.xml'), POM);
  await maven(['dependency:build-classpath', '-Dmdep.outputFile=classpath']);
  const classpath = [folder, (await readFile(join(folder, 'classpath'), 'utf8')).trim()].join(':');
  await run('javac', ['-d', folder, '-cp', classpath, source]);
  return { command: 'java', args: ['-cp', classpath, 'receiver.Receiver'] };
};
const SPRING = 'org.springframework.boot';
const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<parent><groupId>${SPRING}</groupId><artifactId>spring-boot-starter-parent</artifactId><version>3.5.7</version></parent>
<groupId>receiver</groupId><artifactId>receiver</artifactId><version>1</version><dependencies><dependency>
<groupId>${SPRING}</groupId><artifactId>spring-boot-starter-web</artifactId></dependency></dependencies></project>`;

/** Runs the Worker on Node: its KV namespace is a Map. */
const worker: Prepare = async (file, unused) => {
  const program = await node(file, unused);
  if (program?.folder === undefined) return undefined;
  const host = join(program.folder, 'host.mjs');
  await writeFile(host, WORKER_HOST.replace('WORKER', file));
  return { ...program, args: [host] };
};
const WORKER_HOST = `import { createServer } from 'node:http';
import worker from './WORKER';
const kept = new Map();
const env = {
  WEBHOOK_SECRET: process.env.WEBHOOK_SECRET,
  SEEN: { get: async (key) => kept.get(key) ?? null, put: async (key, value) => kept.set(key, value) },
};
createServer(async (request, response) => {
  const asked = new Request('https://worker.example/', {
    method: request.method, headers: request.headers, body: request, duplex: 'half',
  });
  const answer = await worker.fetch(asked, env, { waitUntil: () => undefined });
  response.writeHead(answer.status).end();
}).listen(Number(process.env.PORT));
`;

/** The command; undefined when this machine cannot have it. */
export const findPhp = (): Promise<string | undefined> =>
  findWhereAptIs('php', () =>
    run('php', ['--version']).then(
      () => 'php',
      async () => {
        const program = 'usr/bin/php.default';
        return join(await unpackedPackages(['php-cli'], program), program);
      },
    ),
  );

const php: Prepare = async (file, folder) => {
  const command = await findPhp();
  if (command === undefined) return undefined;
  const limits = ['-d', 'post_max_size=64M', '-d', 'memory_limit=512M'];
  const serve = `exec "$0" ${limits.join(' ')} -S "127.0.0.1:$PORT" "$1"`;
  const args = ['-c', serve, command, await copyInto(folder, file)];
  return { command: 'sh', args, env: { TMPDIR: folder } };
};

/** Puma, and the Ruby that runs it as `ruby`; undefined when this machine cannot have them. */
export const findRuby = () =>
  findWhereAptIs('puma', () =>
    run('puma', ['--version']).then(
      () => ({ ruby: 'ruby', command: 'puma', args: [] as string[], env: {} }),
      async () => debianPuma(await unpackedPackages(['ruby', 'puma', 'ruby-rack'], 'usr/bin/puma')),
    ),
  );

/** On Puma, as Rails applications run. */
const ruby: Prepare = async (file, folder) => {
  const puma = await findRuby();
  if (puma === undefined) return undefined;
  const source = await copyInto(folder, file);
  const serve = 'exec "$0" "$@" --port "$PORT" --environment production --silent';
  return { ...puma, command: 'sh', args: ['-c', serve, puma.command, ...puma.args, source] };
};

/** Ruby and Puma from unpacked packages: their folders are compiled in as those below `/`. */
async function debianPuma(root: string) {
  const lib = join(root, 'usr/lib');
  const machine = (await readdir(lib)).find((name) => name.endsWith('-linux-gnu')) ?? '';
  const [version = ''] = (await readdir(join(lib, 'ruby'))).filter((name) => /^\d/.test(name));
  const folders = [
    join(lib, 'ruby/vendor_ruby'),
    join(lib, 'ruby', version),
    join(lib, machine, 'ruby', version),
  ];
  const gems = [
    join(root, 'usr/share/rubygems-integration/all'),
    join(lib, machine, 'rubygems-integration', version),
  ];
  const env = {
    LD_LIBRARY_PATH: join(lib, machine),
    RUBYLIB: folders.join(':'),
    GEM_PATH: gems.join(':'),
  };
  const command = join(root, 'usr/bin/ruby');
  await run(command, [join(root, 'usr/bin/puma'), '--version'], { env });
  return { ruby: command, command, args: [join(root, 'usr/bin/puma')], env };
}

/** One for each language. The others verify the headers of Standard Webhooks. */
export const VERIFY_SVC: ReadonlySet<string> = new Set([
  'node-http.mjs',
  'flask_app.py',
  'receiver.go',
  'receiver.php',
  'receiver.ru',
  'Receiver.java',
]);

export const PROGRAMS: readonly [file: string, prepare: Prepare][] = [
  ['node-http.mjs', node],
  ['express.mjs', node],
  ['fastify.mjs', node],
  ['next-route.ts', next],
  ['cloudflare-worker.mjs', worker],
  ['flask_app.py', python],
  ['fastapi_app.py', python],
  ['django_app.py', python],
  ['receiver.go', go],
  ['receiver.php', php],
  ['receiver.ru', ruby],
  ['Receiver.java', java],
];
