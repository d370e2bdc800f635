// Compiles the package into dist: plain JavaScript with its types, and copies the license and the README of
// the docs. `npm pack` and `npm install` run it.
// In a checkout without packages it runs on Node 20 and fetches the compiler only, into npm's cache.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const root = '../../../';

rmSync(here('dist'), { recursive: true, force: true });
const tsc = here(`${root}node_modules/typescript/bin/tsc`);
const [program, ...args] = existsSync(tsc) ? [process.execPath, tsc] : fetchedCompiler();
execFileSync(program, [...args, '--project', here('.')], {
  stdio: 'inherit',
  shell: program === 'npm' && process.platform === 'win32', // npm is a .cmd file there
});
copyFileSync(here(`${root}LICENSE`), here('dist/LICENSE'));
copyFileSync(here(`${root}docs/clients/typescript.md`), here('README.md'));

/** In the version of the checkout. */
function fetchedCompiler() {
  const { devDependencies } = JSON.parse(readFileSync(here(`${root}package.json`), 'utf8'));
  return [
    'npm',
    'exec',
    '--yes',
    `--package=typescript@${devDependencies.typescript}`,
    '--',
    'tsc',
  ];
}
