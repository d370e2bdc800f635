// Compiles the package into dist: plain JavaScript with its types, together with the types of the API, which are
// a file of core, and copies the license and the README of the docs. `npm pack` and `npm install` run it.
// In a checkout without packages it runs on Node 20 and fetches the compiler only, into npm's cache.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const root = '../../../';
const TYPES = '../../core/api/api-types.generated.ts';

rmSync(here('dist'), { recursive: true, force: true });
collectSources();
const tsc = here(`${root}node_modules/typescript/bin/tsc`);
const [program, ...args] = existsSync(tsc) ? [process.execPath, tsc] : fetchedCompiler();
execFileSync(program, [...args, '--project', here('dist/source')], {
  stdio: 'inherit',
  shell: program === 'npm' && process.platform === 'win32', // npm is a .cmd file there
});
rmSync(here('dist/source'), { recursive: true });
copyFileSync(here(`${root}LICENSE`), here('dist/LICENSE'));
copyFileSync(here(`${root}docs/clients/typescript.md`), here('README.md'));

/** In one folder, so that the compiled files are in one, too. */
function collectSources() {
  mkdirSync(here('dist/source'), { recursive: true });
  for (const name of readdirSync(here('src'))) {
    const text = readFileSync(here(`src/${name}`), 'utf8');
    const own = text.replaceAll(`'../${TYPES}'`, "'./api-types.generated.ts'");
    writeFileSync(here(`dist/source/${name}`), own);
  }
  copyFileSync(here(TYPES), here('dist/source/api-types.generated.ts'));
  const options = { rootDir: '.', outDir: '..' };
  const project = { extends: '../../tsconfig.json', compilerOptions: options, include: ['.'] };
  writeFileSync(here('dist/source/tsconfig.json'), JSON.stringify(project));
}

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
