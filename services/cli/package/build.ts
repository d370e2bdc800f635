/**
 * Bundles the npm package into services/cli/dist: plain JavaScript for Node 20 and later, without
 * dependencies. `npm pack ./services/cli` runs it.
 */
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { build } from 'esbuild';

const PACKAGE = join(import.meta.dirname, '..');
const ROOT = join(PACKAGE, '..', '..');
const DIST = join(PACKAGE, 'dist');
// nodemailer is CommonJS and requires modules of Node
const REQUIRE =
  "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);";

await rm(DIST, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: {
    inlet: join(PACKAGE, 'package', 'main.ts'),
    'kubectl-inlet': join(PACKAGE, 'kubernetes', 'main.ts'),
  },
  outdir: DIST,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true, // sending email is loaded when it is needed
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.11',
  banner: { js: `#!/usr/bin/env node\n${REQUIRE}` },
  metafile: true,
  logLevel: 'warning',
});
// npm makes programs executable when it installs them, krew does not
for (const program of ['inlet', 'kubectl-inlet']) await chmod(join(DIST, `${program}.mjs`), 0o755);
await writeFile(join(DIST, 'LICENSES.txt'), await licensesOf(Object.keys(metafile.inputs)));
await writeFile(join(DIST, 'LICENSE'), await readFile(join(ROOT, 'LICENSE')));

/** The licenses of the packages in the bundle, as they ask for. */
async function licensesOf(inputs: readonly string[]): Promise<string> {
  const folders = inputs.flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(join(process.cwd(), path))?.[0] ?? [],
  );
  const texts = [...new Set(folders)].toSorted().map(async (folder) => {
    const file = (await readdir(folder)).find((name) => /^licen[cs]e/i.test(name));
    const text = file === undefined ? '' : await readFile(join(folder, file), 'utf8');
    return `${relative(join(ROOT, 'node_modules'), folder)}\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}
