// Installs the npm packages if package-lock.json has changed, then runs the command in its
// arguments. Every npm script that needs packages starts here. A fresh clone has none, so this file
// imports only from Node, and runs on Node 20 or later. The command finds the pinned Node 24 first
// on its PATH. Services do not need the packages for development, so these can be added later.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const NODE_MAJOR_NEEDED = 24;
const REGISTRY_TIMEOUT_MS = 10_000;
const SILENCE_MS = 10_000;
/** As early as possible: it may end at any time. */
const PARENT = process.ppid;
const ORPHANED_CHECK_MS = 500;
const root = fileURLToPath(new URL('../..', import.meta.url));
const modules = join(root, 'node_modules');
const services = join(root, 'services');
const programs = join(modules, '.bin');
const stamp = join(modules, '.inlet-lock-sha256');
const REDUCED = ' without development';
// Node keeps what it compiled here. Without it, each process loads the TypeScript compiler: 20 MB.
const compileCache = join(modules, '.cache', 'inlet-compiled');
const shell = process.platform === 'win32'; // npm's programs are .cmd files there

try {
  const [command, ...args] = process.argv.slice(2);
  await ensurePackages(!isService(command, args));
  if (command !== undefined) run(command, args);
} catch (error) {
  process.stderr.write(`inlet: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/** The services and the command run without the packages that only tests and checks need. */
function isService(command, [file]) {
  if (command !== 'node' || file === undefined) return false;
  // a script of services/cli/package.json starts in its own folder
  return [root, process.cwd()].some((from) => resolve(from, file).startsWith(services + sep));
}

/** The stamp names the lock file, and whether the packages for development were left out. */
async function ensurePackages(isForDevelopment) {
  const complete = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const reduced = `${complete}${REDUCED}`;
  const before = existsSync(modules) ? '' : REDUCED; // without a stamp, npm was run by hand
  const installed = existsSync(stamp) ? readFileSync(stamp, 'utf8') : before;
  const needsAll = isForDevelopment || !installed.endsWith(REDUCED);
  if (installed !== (needsAll ? complete : reduced)) {
    // Only `npm ci` removes packages, which a running Inlet may use.
    const adding = installed === reduced ? ['install', '--no-save'] : ['ci'];
    await installPackages(needsAll ? adding : ['ci', '--omit=dev']);
    writeFileSync(stamp, needsAll ? complete : reduced);
  }
  requirePinnedNode();
}

/** Without its registry, npm would repeat its requests for minutes before it fails. */
async function installPackages(args) {
  process.stderr.write(`inlet: installing npm packages (npm ${args.join(' ')}) …\n`);
  const startedMs = Date.now();
  const registryFault = await whyNoRegistry();
  const offline = registryFault ? ['--offline'] : [];
  const npm = await sayingHowFar(() => runNpm([...args, ...offline, '--no-audit', '--no-fund']));
  if (npm.status !== 0 && registryFault)
    throw new Error(
      `the npm packages are missing, and npm cannot reach its registry: ${registryFault}. ` +
        'Connect this machine, or set a proxy or a mirror: npm config set proxy URL, ' +
        'npm config set registry URL',
    );
  if (npm.status !== 0) throw new Error(`npm could not install the packages: ${reasonIn(npm)}`);
  const seconds = ((Date.now() - startedMs) / 1000).toFixed(1);
  process.stderr.write(`inlet: installed npm packages in ${seconds} s\n`);
}

/** Undefined if the registry responds. An HTTP error is a response: not every mirror has "ping". */
async function whyNoRegistry() {
  const ping = await runNpm([
    'ping',
    '--fetch-retries=0',
    `--fetch-timeout=${REGISTRY_TIMEOUT_MS}`,
  ]);
  return ping.status === 0 || /code E\d{3}$/m.test(ping.stderr) ? undefined : reasonIn(ping);
}

/** npm itself says nothing before its end. On a slow network that looks as if nothing happened. */
async function sayingHowFar(work) {
  const startedMs = Date.now();
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - startedMs) / 1000);
    process.stderr.write(
      `inlet: npm still installs packages after ${seconds} s; the first time takes a minute or more …\n`,
    );
  }, SILENCE_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

function runNpm(args) {
  return new Promise((done, fail) => {
    const npm = spawn('npm', [...args, '--loglevel=error'], {
      cwd: root,
      env: withoutGlobal(process.env),
      shell,
      stdio: ['inherit', 'ignore', 'pipe'],
    });
    let stderr = '';
    npm.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    npm.on('error', ({ message }) =>
      fail(new Error(`cannot run npm (${message}). Install npm; it is part of Node.js.`)),
    );
    npm.on('close', (status) => done({ status, stderr }));
  });
}

/** A script of `npm install --global` gets these settings. They would be those of the npm here, too. */
function withoutGlobal(env) {
  const own = Object.entries(env).filter(([name]) => !/^npm_config_(global|location)$/i.test(name));
  return Object.fromEntries(own);
}

function requirePinnedNode() {
  const node = spawnSync(join(programs, 'node'), ['--version'], { encoding: 'utf8', shell });
  const major = Number(/^v(\d+)\./.exec(node.stdout ?? '')?.[1]);
  if (major >= NODE_MAJOR_NEEDED) return;
  throw new Error(
    `node_modules/.bin/node is ${Number.isNaN(major) ? 'missing' : `Node ${major}`}, ` +
      `but Inlet needs Node ${NODE_MAJOR_NEEDED} or later. The install script of the npm package ` +
      '"node" provides it. Check whether your npm settings (ignore-scripts) disable that script.',
  );
}

/** Runs in the same terminal and ends with the same exit code, or with the same signal. */
function run(command, args) {
  let child;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      // A terminal sends Ctrl-C to every process in it, so the child has received that one already.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child?.kill(signal);
    });
  const env = {
    NODE_COMPILE_CACHE: compileCache,
    ...process.env,
    PATH: `${programs}${delimiter}${process.env.PATH ?? ''}`,
  };
  child = spawn(command, args, { stdio: 'inherit', env, shell });
  if (process.env.npm_lifecycle_event !== undefined) whenOrphaned(() => child.kill('SIGTERM'));
  child.on('error', ({ message }) => {
    process.stderr.write(`inlet: cannot run ${command}: ${message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
  });
}

/** The shell between npm and this process passes no signal on: it ends with npm, and this process loses its parent. */
function whenOrphaned(act) {
  const timer = setInterval(() => {
    if (process.ppid === PARENT) return;
    clearInterval(timer);
    act();
  }, ORPHANED_CHECK_MS);
  timer.unref();
}

/** npm prints "npm error code X" and then a paragraph. Its first lines of text name the reason. */
function reasonIn({ stderr }) {
  const lines = stderr.split('\n').map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim());
  const isDetail = /^(code|syscall|errno|at|A complete log) /;
  const words = lines.filter((line) => line !== '' && !isDetail.test(line)).slice(0, 2);
  return words.join(' ') || 'it gave no reason';
}
