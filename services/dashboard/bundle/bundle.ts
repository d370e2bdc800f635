/**
 * Bundles the dashboard for browsers: a script for the first screens, one for each screen that is
 * loaded later, a style sheet, the page that loads them, and compressed copies of each.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

import { build, type Metafile } from 'esbuild';

import { REVISION } from '../../adapters/process/commit.ts';
import { VERSION } from '../../core/version.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = 'index.html';

export type BundledFile = {
  path: string;
  bytes: number;
  gzipBytes: number;
  /** The page loads it before it shows anything. */
  isFirst: boolean;
};

/** @param folder is emptied first @returns the files, without their compressed copies */
export async function bundleDashboard(folder: string): Promise<BundledFile[]> {
  const { outputFiles, metafile } = await build({
    entryPoints: {
      app: join(ROOT, 'app', 'main.tsx'),
      style: join(ROOT, 'style', 'app.css'),
      icon: join(ROOT, 'app', 'icon.svg'),
    },
    outdir: join(folder, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    metafile: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.svg': 'copy' },
    define: {
      RECEIVER_CODE: JSON.stringify(await receiverCode()),
      DOC_PAGES: JSON.stringify(await docPages()),
    },
    legalComments: 'none',
    logLevel: 'silent',
    tsconfig: join(ROOT, 'tsconfig.json'),
  });
  const files = outputFiles.map(({ path, contents }) => ({
    path: `assets/${basename(path)}`,
    content: Buffer.from(contents),
  }));
  const named = (pattern: RegExp) => files.find(({ path }) => pattern.test(path))?.path ?? '';
  const script = named(/\/app-\w+\.js$/);
  const style = named(/\.css$/);
  const parts = partsOf(metafile, basename(script));
  const page = pageOf({ script, parts, style, icon: named(/\.svg$/) });
  const first = new Set([script, style, ...parts, PAGE]);
  await rm(folder, { recursive: true, force: true });
  return Promise.all(
    [...files, { path: PAGE, content: Buffer.from(page) }].map(async ({ path, content }) => ({
      ...(await writeWithCopies(folder, path, content)),
      isFirst: first.has(path),
    })),
  );
}

/** What the script imports before it runs, so that the page can load all of it in one go. */
function partsOf({ outputs }: Metafile, script: string): string[] {
  const byName = new Map(Object.entries(outputs).map(([path, made]) => [basename(path), made]));
  const found = new Set<string>();
  const visit = (name: string): void => {
    for (const { path, kind } of byName.get(name)?.imports ?? []) {
      if (kind !== 'import-statement' || found.has(basename(path))) continue;
      found.add(basename(path));
      visit(basename(path));
    }
  };
  visit(script);
  return [...found].map((name) => `assets/${name}`);
}

const DOCS = join(ROOT, '..', '..', 'docs');
const RECEIVERS_PAGE = join(DOCS, 'receiving-webhooks.md');
const DOCS_TABLE = join(DOCS, 'README.md');
/** The words that the palette searches are part of each load of the dashboard. */
const ABOUT_CHARS = 45;

/** Title, name and first sections of each page in the table of the docs. */
async function docPages(): Promise<[title: string, page: string, about: string][]> {
  const [, table = ''] = (await readFile(DOCS_TABLE, 'utf8')).split('| --- |');
  const links = [...table.matchAll(/\[([^\]]+)\]\(([\w-]+)\.md\)/g)];
  return Promise.all(
    links.map(async ([, title = '', page = '']) => {
      const text = await readFile(join(DOCS, `${page}.md`), 'utf8');
      const about = [...text.matchAll(/^## (.+)$/gm)].map(([, section = '']) => section).join(' ');
      return [title, page, about.slice(0, ABOUT_CHARS)];
    }),
  );
}

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

const preload = (path: string) => `<link rel="modulepreload" href="/dashboard/${path}">\n`;

type PageFiles = { script: string; parts: readonly string[]; style: string; icon: string };

const pageOf = ({ script, parts, style, icon }: PageFiles) =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="inlet-build" content="${VERSION} (${REVISION})">
<title>Inlet</title>
<link rel="icon" href="/dashboard/${icon}">
<link rel="stylesheet" href="/dashboard/${style}">
${parts.map(preload).join('')}<script type="module" src="/dashboard/${script}"></script>
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
): Promise<Omit<BundledFile, 'isFirst'>> {
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
