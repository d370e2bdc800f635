/** The lines where adapters query MongoDB: all of them, and those that ran. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Collection } from 'mongodb';

const ADAPTERS = join(import.meta.dirname, '..', '..', 'services', 'adapters');
/** Methods of a collection that search for documents. */
const METHODS = [
  'find',
  'findOne',
  'findOneAndUpdate',
  'findOneAndDelete',
  'aggregate',
  'countDocuments',
  'distinct',
  'updateOne',
  'updateMany',
  'replaceOne',
  'deleteOne',
  'deleteMany',
  'bulkWrite',
] as const;

/** Records the lines that run in this process until it is disposed, as `file.ts:line`. */
export function noteQuerySites(): Disposable & { sites: ReadonlySet<string> } {
  using restore = new DisposableStack();
  const sites = new Set<string>();
  for (const method of METHODS) {
    const real = Collection.prototype[method] as (...given: unknown[]) => unknown;
    restore.defer(() => void Reflect.set(Collection.prototype, method, real));
    Reflect.set(
      Collection.prototype,
      method,
      function noted(this: unknown, ...given: unknown[]): unknown {
        const site = /services\/adapters\/([\w/-]+\.ts:\d+)/.exec(
          new Error('here').stack ?? '',
        )?.[1];
        if (site !== undefined) sites.add(site);
        return Reflect.apply(real, this, given);
      },
    );
  }
  const restoring = restore.move();
  return { sites, [Symbol.dispose]: () => restoring.dispose() };
}

/** All lines in the source of the adapters, found by their names for collections. */
export async function querySites(): Promise<string[]> {
  const files = (await readdir(ADAPTERS, { recursive: true }))
    .filter((file) => file.endsWith('.ts'))
    .toSorted();
  const sites = files.map(async (file) => {
    const text = await readFile(join(ADAPTERS, file), 'utf8');
    const names = [...text.matchAll(/const (\w+)(?:: [^=]+)? = db\.collection\b/g)].map(
      ([, name]) => name,
    );
    if (names.length === 0) return [];
    const asking = new RegExp(
      String.raw`\b(?:${names.join('|')})\s*\.(?:${METHODS.join('|')})\b`,
      'g',
    );
    return [...text.matchAll(asking)].map(
      ({ 0: found, index }) => `${file}:${text.slice(0, index + found.length).split('\n').length}`,
    );
  });
  return (await Promise.all(sites)).flat();
}
