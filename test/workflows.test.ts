/**
 * The workflows in .github: valid syntax, every action pinned to a commit, and what they pass to the
 * tests and to the image.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, inject, test } from 'vitest';
import { parse } from 'yaml';

import { findGoTool } from './support/go-tool.ts';

const run = promisify(execFile);
const CHECKOUT = join(import.meta.dirname, '..');
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

test('workflows check changes and dependencies, and publish releases', () => {
  expect(files).toEqual(['ci.yml', 'dependencies.yml', 'release.yml']);
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

type Workflow = {
  jobs: Record<
    string,
    {
      needs?: string;
      permissions?: Record<string, string>;
      steps: {
        uses?: string;
        run?: string;
        with?: Record<string, unknown>;
        env?: Record<string, string>;
      }[];
    }
  >;
};
const workflow = async (file: string) =>
  parse(await readFile(join(WORKFLOWS, file), 'utf8')) as Workflow;

test('tests run before a release, and in no job that may write or sign', async () => {
  for (const file of files)
    for (const [name, { permissions = {}, steps }] of Object.entries((await workflow(file)).jobs)) {
      const runs = steps.map(({ uses = '', run: script = '' }) => `${uses}\n${script}`).join('\n');
      const isTrusted = Object.values(permissions).includes('write');
      const runsCheckout = /\b(npm|npx|node)\b|\.ci\//.test(runs);
      expect([file, name, isTrusted && runsCheckout]).toEqual([file, name, false]);
    }
  const { test: tests, release } = (await workflow('release.yml')).jobs;
  expect(tests?.steps.map((step) => step.run)).toContain('.ci/run');
  expect(release).toMatchObject({
    needs: 'test',
    permissions: { contents: 'write', packages: 'write', 'id-token': 'write' },
  });
});

test('X.1: a release is installed by a job that has nothing of the checkout and no rights', async () => {
  const { stranger } = (await workflow('release.yml')).jobs;
  expect(stranger).toMatchObject({ needs: 'release' });
  expect(stranger?.permissions).toBeUndefined();
  const uses = stranger?.steps.flatMap((step) => step.uses?.split('@')[0] ?? []);
  expect(uses).toEqual(['actions/setup-node', 'sigstore/cosign-installer', 'azure/setup-helm']);
});

test('the cluster tests of CI have the history, and load each image that they build into kind', async () => {
  const steps = (await workflow('ci.yml')).jobs.cluster?.steps ?? [];
  const checkout = steps.find(({ uses }) => uses?.startsWith('actions/checkout@'));
  expect(checkout?.with?.['fetch-depth']).toBe(0); // for test/cluster/upgrade.test.ts
  const { IMAGE_BUILD = '', ...env } =
    steps.find((step) => step.run === 'npm run test:cluster')?.env ?? {};
  expect(env).toEqual({}); // with INLET_IMAGE, former and current would be one image
  const bin = await mkdtemp(join(inject('scratchDir'), 'bin-'));
  for (const program of ['docker', 'kind'])
    await writeFile(join(bin, program), `#!/bin/sh\necho ${program} "$@"\n`, { mode: 0o755 });
  const { stdout } = await run('sh', ['-c', `${IMAGE_BUILD} "$0" "$1"`, 'inlet:1', '/folder'], {
    env: { PATH: `${bin}:${process.env.PATH}` },
  });
  expect(stdout).toBe(
    'docker build --tag inlet:1 /folder\nkind load docker-image inlet:1 --name inlet\n',
  );
});

test('the image has the OCI labels, and a release sets version and revision', async () => {
  const dockerfile = await readFile(join(CHECKOUT, 'Dockerfile'), 'utf8');
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
  const labels = Object.fromEntries(
    [...last.matchAll(/org\.opencontainers\.image\.(\w+)="(.*?)"/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  );
  const home = 'https://github.com/inlet-email/inlet';
  expect(labels).toEqual({
    title: 'Inlet',
    description: expect.any(String),
    licenses: 'Apache-2.0',
    vendor: 'Inlet',
    version: '${VERSION}',
    revision: '${REVISION}',
    source: home,
    url: home,
    documentation: `${home}/tree/main/docs`,
  });
  expect(last.indexOf('\nARG VERSION=')).toBeLessThan(last.indexOf('\nLABEL '));
  expect(last.indexOf('\nARG REVISION=')).toBeLessThan(last.indexOf('\nLABEL '));
  const { steps = [] } = (await workflow('release.yml')).jobs.release ?? {};
  const build = steps.find(({ uses }) => uses?.startsWith('docker/build-push-action@'));
  expect(String(build?.with?.['build-args']).split('\n')).toEqual(
    expect.arrayContaining(['VERSION=${{ env.VERSION }}', 'REVISION=${{ github.sha }}']),
  );
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
