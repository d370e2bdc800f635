// Installs the npm packages that package-lock.json names, when they are missing or others: `npm start`, `npm test` and the like call it first.
// Plain JavaScript without imports from npm, for any Node from 20 on: it brings the pinned Node 24 that everything else runs on.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NODE_MAJOR_NEEDED = 24;
const root = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const modules = join(root, 'node_modules');
const stamp = join(modules, '.inlet-lock-sha256');

try {
  const lockSha256 = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lockSha256) {
    installPackages();
    writeFileSync(stamp, lockSha256);
  }
  requirePinnedNode();
} catch (error) {
  process.stderr.write(`inlet: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

function installPackages() {
  process.stderr.write('inlet: installing npm packages (npm ci) …\n');
  const startedMs = Date.now();
  const npm = runNpmCi();
  if (npm.error)
    throw new Error(
      `npm cannot be run (${npm.error.message}): install npm, which comes with Node.js.`,
    );
  if (npm.status !== 0)
    throw new Error(`npm could not install the packages: ${firstFault(npm.stderr)}`);
  process.stderr.write(
    `inlet: npm packages installed in ${((Date.now() - startedMs) / 1000).toFixed(1)} s\n`,
  );
}

function runNpmCi() {
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = spawnSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  return { ...npm, stderr: npm.stderr ?? '' };
}

function requirePinnedNode() {
  const node = spawnSync(join(modules, '.bin', 'node'), ['--version'], { encoding: 'utf8' });
  const major = Number(/^v(\d+)\./.exec(node.stdout ?? '')?.[1]);
  if (major >= NODE_MAJOR_NEEDED) return;
  throw new Error(
    `node_modules/.bin/node is ${Number.isNaN(major) ? 'missing' : `Node ${major}`}, but Node ${NODE_MAJOR_NEEDED} or later is needed: ` +
      'the npm package "node" brings it by its install script, which your npm settings (ignore-scripts?) may forbid.',
  );
}

/** npm says `npm error code X` and then a paragraph: the first line that carries words is the fault. */
function firstFault(stderr) {
  const lines = stderr.split('\n').map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim());
  return (
    lines
      .filter((line) => line !== '' && !line.startsWith('code '))
      .slice(0, 2)
      .join(' ') || 'it gave no reason'
  );
}
