/** What the docs and the chart say about versions of NATS and MongoDB is what the table in core says (D298). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';
import { parse } from 'yaml';

import {
  LOWEST_MENDED,
  lowestMendedText,
  mendedVersion,
} from '../../services/core/servers/server-versions.ts';
import { MONGOD, NATS_SERVER } from '../../services/standalone/fetch/binaries.ts';
import { CHART } from '../support/charts.ts';
import { CHECKOUT, readPages } from './pages.ts';

const CHART_FILES = ['values.yaml', 'examples/own-nats.yaml'];
const pages = [
  ...(await readPages()),
  ...(await Promise.all(
    CHART_FILES.map(async (file) => ({
      path: `charts/inlet/${file}`,
      text: (await readFile(join(CHART, file), 'utf8')).replaceAll(/\n *# /g, ' '),
    })),
  )),
].filter(({ path }) => !path.endsWith('CHANGELOG.md'));

test.each([
  [
    'nats',
    [
      'docs/upgrade.md',
      'docs/one-machine.md',
      ...CHART_FILES.map((file) => `charts/inlet/${file}`),
    ],
  ],
  [
    'mongodb',
    ['docs/install.md', 'docs/upgrade.md', 'docs/one-machine.md', 'charts/inlet/values.yaml'],
  ],
] as const)('the lowest versions of %s are those of the table', (kind, paths) => {
  const missing = paths.filter(
    (path) => !pages.find((page) => page.path === path)?.text.includes(lowestMendedText(kind)),
  );
  expect(missing).toEqual([]);
});

test('no page names another lowest version of NATS or MongoDB', () => {
  const others = pages.flatMap(({ path, text }) =>
    [
      ...text.matchAll(
        /\b(NATS|nats-server|MongoDB|mongod|replica set|official image)[ ,|]+\d+\.\d+ or later/g,
      ),
    ].map(([words]) => `${path}: ${words}`),
  );
  expect(others).toEqual([]);
});

test('what charts, containers and npm start run is mended, and of a line of the table', async () => {
  type Image = { image: { tag: string } };
  const values = parse(await readFile(join(CHART, 'values.yaml'), 'utf8')) as Record<string, Image>;
  const compose = parse(
    await readFile(join(CHECKOUT, 'docs', 'examples', 'one-machine', 'compose.yaml'), 'utf8'),
    { merge: true },
  ) as { services: Record<string, { image: string }> };
  const dockerfile = await readFile(join(CHECKOUT, 'Dockerfile'), 'utf8');
  const tagOf = (image: string) =>
    new RegExp(`^ARG ${image}_IMAGE=.*:(.*)$`, 'm').exec(dockerfile)?.[1];
  const nats = [values.nats?.image.tag, compose.services.nats?.image.split(':')[1], tagOf('NATS')];
  expect(nats.map((tag) => mendedVersion('nats', tag))).toEqual(nats.map(() => undefined));
  expect(nats).not.toContain(undefined);
  expect(mendedVersion('mongodb', tagOf('MONGODB') ?? '0.0.0')).toBeUndefined();
  // the tag of a line moves with its patches
  const mongodb = [values.mongodb?.image.tag, compose.services.mongodb?.image.split(':')[1]];
  for (const line of mongodb)
    expect(LOWEST_MENDED.mongodb.some((lowest) => lowest.startsWith(`${line}.`))).toBe(true);
  const lines = [NATS_SERVER, MONGOD].map(({ atLeast: { major, minor } }) => `${major}.${minor}.`);
  expect(LOWEST_MENDED.nats[0].startsWith(lines[0] ?? '-')).toBe(true);
  expect(LOWEST_MENDED.mongodb[0].startsWith(lines[1] ?? '-')).toBe(true);
});
