/** The workflows in .github: valid syntax, and every action pinned to a commit. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { findGoTool } from '../support/go-tool.ts';

const run = promisify(execFile);
const CHECKOUT = join(import.meta.dirname, '..', '..');
const WORKFLOWS = join(CHECKOUT, '.github', 'workflows');
const TEMPLATES = join(CHECKOUT, '.github', 'ISSUE_TEMPLATE');

const files = (await readdir(WORKFLOWS)).toSorted();
const actionlint = await findGoTool({
  name: 'actionlint',
  given: process.env.ACTIONLINT_BIN,
  versionArgs: ['-version'],
  module: 'github.com/rhysd/actionlint@v1.7.12',
  folder: './cmd/actionlint',
});

test('a workflow checks changes, another one publishes releases', () => {
  expect(files).toEqual(['ci.yml', 'release.yml']);
});

describe.each(files)('%s', (file) => {
  test.skipIf(actionlint === undefined)('actionlint finds nothing', async () => {
    const args = ['-no-color', '-shellcheck=', '-pyflakes=', join(WORKFLOWS, file)];
    const { stdout } = await run(String(actionlint), args, { cwd: CHECKOUT }).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(stdout).toBe('');
  });

  test('each action is pinned to a commit, with its version as a comment', async () => {
    const text = await readFile(join(WORKFLOWS, file), 'utf8');
    const uses = [...text.matchAll(/uses: (.*)$/gm)].map(([, value = '']) => value);
    expect(uses.length).toBeGreaterThan(0);
    const PINNED = /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
    expect(uses.filter((value) => !PINNED.test(value))).toEqual([]);
  });

  test('its token can write nothing unless a job asks for it', async () => {
    const { permissions } = parse(await readFile(join(WORKFLOWS, file), 'utf8')) as {
      permissions: unknown;
    };
    expect(permissions).toEqual({ contents: 'read' });
  });
});

test('the issue templates have the fields that GitHub requires', async () => {
  const forms = (await readdir(TEMPLATES)).filter((name) => name !== 'config.yml');
  expect(forms.toSorted()).toEqual(['bug.yml', 'feature.yml']);
  for (const form of forms) {
    const { name, description, body } = parse(await readFile(join(TEMPLATES, form), 'utf8')) as {
      name: string;
      description: string;
      body: { type: string; id?: string; attributes: { label?: string; value?: string } }[];
    };
    expect([name, description].every((text) => text.length > 0)).toBe(true);
    const ids = body.flatMap(({ id }) => id ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { type, attributes } of body)
      expect(type === 'markdown' ? attributes.value : attributes.label).toBeTruthy();
  }
});
