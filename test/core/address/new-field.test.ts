/**
 * A setting that is added to the table of the address appears wherever the address does, and few
 * files name a setting (docs/architecture.md).
 */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const SERVICES = join(import.meta.dirname, '..', '..', '..', 'services');

test('one more field in the table is in each place of an address', async () => {
  const script = join(import.meta.dirname, 'with-toy-field.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  const about = 'toys that it accepts in an hour';
  const number = { type: 'integer', minimum: 1, maximum: 9 };
  const requested = {
    anyOf: [number, { type: 'null' }],
    description: `${about}; default: null (no limit)`,
  };
  expect(JSON.parse(stdout)).toMatchObject({
    record: { toy_limit: 3 },
    stored: [{ toy_limit: 3 }, { toy_limit: null }],
    view: { properties: { toy_limit: { description: `${about}; null: no limit` } } },
    shown: [{ toy_limit: 3 }, { toy_limit: null }],
    create: { properties: { toy_limit: requested } },
    change: { properties: { toy_limit: requested } },
    spec: {
      properties: { toyLimit: { ...number, description: `${about}; when absent: no limit` } },
    },
    fromSpec: { toy_limit: 3 },
    projection: { toy_limit: 1 },
    atRcpt: [{ toy_limit: 3 }, {}],
  });
});

test('these files, written by hand, name a setting of the address', async () => {
  const entries = await readdir(SERVICES, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map(({ parentPath, name }) => relative(SERVICES, join(parentPath, name)))
    .filter((file) => !file.includes('.generated.') && !file.startsWith('clients/'));
  const named = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(SERVICES, file), 'utf8');
      return /spam[_-]?refuse(?!d)/i.test(text) ? [file] : []; // in every spelling
    }),
  );
  expect(named.flat().toSorted()).toEqual([
    'cli/resource/address-options.ts',
    'core/address/address-fields.ts',
    'core/api/refusal-steps.ts', // what lets a refused sender in
    'core/decision/built-in-rules.ts', // what it does
    'dashboard/screens/addresses/address-fields.tsx',
    'dashboard/screens/addresses/email-path.tsx', // when it does it
    'dashboard/strings/addresses.ts', // its label
  ]);
});
