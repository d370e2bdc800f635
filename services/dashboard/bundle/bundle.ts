/**
 * Bundles the dashboard for browsers: one script and one style sheet with hashed names, the page
 * that loads them, and compressed copies of each.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');

export type BundledFile = { path: string; bytes: number; gzipBytes: number };

/** @param folder is emptied first @returns the files, without their compressed copies */
export async function bundleDashboard(folder: string): Promise<BundledFile[]> {
  const { outputFiles } = await build({
    entryPoints: {
      app: join(ROOT, 'app', 'main.tsx'),
      style: join(ROOT, 'style', 'app.css'),
      icon: join(ROOT, 'app', 'icon.svg'),
    },
    outdir: join(folder, 'assets'),
    entryNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.svg': 'copy' },
    define: { RECEIVER_CODE: JSON.stringify(await receiverCode()) },
    legalComments: 'none',
    logLevel: 'silent',
    tsconfig: join(ROOT, 'tsconfig.json'),
  });
  const files = outputFiles.map(({ path, contents }) => ({
    path: `assets/${basename(path)}`,
    content: Buffer.from(contents),
  }));
  const named = (ending: string) => files.find(({ path }) => path.endsWith(ending))?.path ?? '';
  const page = pageOf({ script: named('.js'), style: named('.css'), icon: named('.svg') });
  await rm(folder, { recursive: true, force: true });
  return Promise.all(
    [...files, { path: 'index.html', content: Buffer.from(page) }].map(({ path, content }) =>
      writeWithCopies(folder, path, content),
    ),
  );
}

const RECEIVERS_PAGE = join(ROOT, '..', '..', 'docs', 'receiving-webhooks.md');

/** The first example of each language on that page. */
async function receiverCode(): Promise<Record<'js' | 'python' | 'go', string>> {
  const page = await readFile(RECEIVERS_PAGE, 'utf8');
  const first = (language: string): string => {
    const [, code] = new RegExp(`^\`\`\`${language}\\n([^]*?)\\n\`\`\``, 'm').exec(page) ?? [];
    if (code === undefined) throw new Error(`${RECEIVERS_PAGE} has no example in ${language}`);
    return code;
  };
  return { js: first('js'), python: first('python'), go: first('go') };
}

const pageOf = ({ script, style, icon }: { script: string; style: string; icon: string }) =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Inlet</title>
<link rel="icon" href="/dashboard/${icon}">
<link rel="stylesheet" href="/dashboard/${style}">
<script type="module" src="/dashboard/${script}"></script>
</head>
<body>
<div id="app"></div>
<noscript>The dashboard needs JavaScript. Everything in it is also available through the API.</noscript>
</body>
</html>
`;

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify<Buffer, { level: number }, Buffer>(gzip);

async function writeWithCopies(
  folder: string,
  path: string,
  content: Buffer,
): Promise<BundledFile> {
  const target = join(folder, path);
  await mkdir(dirname(target), { recursive: true });
  const [brotli, zipped] = await Promise.all([
    compressBrotli(content),
    compressGzip(content, { level: 9 }),
  ]);
  await writeFile(target, content);
  await writeFile(`${target}.br`, brotli);
  await writeFile(`${target}.gz`, zipped);
  return { path, bytes: content.byteLength, gzipBytes: zipped.byteLength };
}
