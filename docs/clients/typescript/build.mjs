// Compiles the package into dist: plain JavaScript with its types. `npm pack` runs it.
import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const root = '../../../';

rmSync(here('dist'), { recursive: true, force: true });
const tsc = here(`${root}node_modules/typescript/bin/tsc`);
execFileSync(process.execPath, [tsc, '--project', here('.')], { stdio: 'inherit' });
copyFileSync(here(`${root}LICENSE`), here('dist/LICENSE'));
