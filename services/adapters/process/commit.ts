/**
 * The commit that this program was built from, to tell two builds of one version apart: the file REVISION in the image,
 * the commit of the checkout elsewhere.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const CHECKOUT = join(import.meta.dirname, '..', '..', '..');
const UNKNOWN = 'unknown';
const COMMIT = /^[0-9a-f]{7,64}$/;
const SHOWN_CHARS = 12;

/** Twelve hexadecimal digits, or `unknown`. Changes that are not committed do not show. */
export function revisionOf(checkout: string): string {
  const commit = commitOf(checkout);
  return COMMIT.test(commit) ? commit.slice(0, SHOWN_CHARS) : UNKNOWN;
}

function commitOf(checkout: string): string {
  try {
    if (existsSync(join(checkout, 'REVISION'))) return textOf(checkout, 'REVISION');
    const folder = gitFolder(checkout);
    const head = textOf(folder, 'HEAD');
    const [, ref] = /^ref: (\S+)$/.exec(head) ?? [];
    return ref === undefined ? head : commitOfRef(folder, ref);
  } catch {
    return UNKNOWN; // not a checkout of git
  }
}

/** In a linked worktree, `.git` is a file that names the folder (gitrepository-layout(5)). */
function gitFolder(checkout: string): string {
  try {
    const [, linked = ''] = /^gitdir: (.+)$/.exec(textOf(checkout, '.git')) ?? [];
    return resolve(checkout, linked);
  } catch {
    return join(checkout, '.git');
  }
}

function commitOfRef(folder: string, ref: string): string {
  const shared = sharedFolder(folder);
  try {
    return textOf(shared, ref);
  } catch {
    const packed = textOf(shared, 'packed-refs').split('\n');
    return packed.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0] ?? UNKNOWN;
  }
}

function sharedFolder(folder: string): string {
  try {
    return resolve(folder, textOf(folder, 'commondir'));
  } catch {
    return folder;
  }
}

const textOf = (folder: string, name: string): string =>
  readFileSync(join(folder, name), 'utf8').trim();

export const REVISION = revisionOf(CHECKOUT);
