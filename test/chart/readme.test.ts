/**
 * The README of each chart lists every value with its default and the comment from values.yaml.
 * `npm run golden` updates it.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

import { STOP_GRACE_MS } from '../../services/api/http/server.ts';
import { DispatcherConfig } from '../../services/dispatcher/process/config.ts';
import { valueSections, valuesTable } from '../../services/generate/chart-readme.ts';
import { CHART, CRD_CHART } from '../support/charts.ts';

const SECTION = /(<!-- values -->\n)[\s\S]*?(<!-- \/values -->)/;

describe.each([
  ['inlet', CHART],
  ['inlet-crds', CRD_CHART],
])('%s', async (_, chart) => {
  const text = await readFile(join(chart, 'values.yaml'), 'utf8');

  test('README.md lists the values as values.yaml describes them', async () => {
    const page = await readFile(join(chart, 'README.md'), 'utf8');
    expect(page).toMatch(SECTION);
    await expect(
      page.replace(
        SECTION,
        (_match, start: string, end: string) => `${start}${valuesTable(text)}\n${end}`,
      ),
    ).toMatchFileSnapshot(join(chart, 'README.md'));
  });

  test('every value has a comment, its own or that of the same value of another component', () => {
    const rows = valueSections(text).flatMap((section) => section.rows);
    expect(rows.filter(({ meaning }) => !/[.`:]$/.test(meaning)).map(({ path }) => path)).toEqual(
      [],
    );
  });
});

describe('terminationGracePeriodSeconds', async () => {
  const rows = valueSections(await readFile(join(CHART, 'values.yaml'), 'utf8')).flatMap(
    (section) => section.rows,
  );
  const row = (path: string) => rows.find((one) => one.path === path);

  test('each component describes what happens within it', () => {
    const meanings = rows
      .filter(({ path }) => path.endsWith('.terminationGracePeriodSeconds'))
      .map(({ meaning }) => meaning);
    expect(meanings).toHaveLength(6);
    expect(new Set(meanings).size).toBe(6);
  });

  test('that of the API exceeds the pause before the stop and the time of requests', () => {
    const { value, meaning } = row('api.terminationGracePeriodSeconds') ?? {};
    const graceSeconds = STOP_GRACE_MS / 1000;
    expect(meaning).toContain(`continue for ${graceSeconds} seconds`);
    expect(value).toBeGreaterThan(Number(row('api.preStopSeconds')?.value) + graceSeconds);
  });

  test('that of the dispatcher exceeds the time of an attempt', () => {
    const { value, meaning } = row('dispatcher.terminationGracePeriodSeconds') ?? {};
    expect(meaning).toContain('WEBHOOK_TIMEOUT');
    const timeoutMs = DispatcherConfig.shape.WEBHOOK_TIMEOUT.parse(undefined);
    expect(value).toBeGreaterThan(timeoutMs / 1000);
  });
});

test('a comment describes the value below it, and the same value of other components', () => {
  const sections = valueSections(
    [
      '# -- Name of it.',
      'name: ""',
      '# Accepts mail.',
      'gateway:',
      '  # -- First line,',
      '  # second line.',
      '  size: 1',
      '  # -- All of it.',
      '  probe: {a: 1, b: 2}',
      'api:',
      '  size: 2',
      '  probe: {a: 3}',
      '  other: {c: 4}',
    ].join('\n'),
  );
  expect(sections).toEqual([
    { title: 'General', intro: '', rows: [{ path: 'name', value: '', meaning: 'Name of it.' }] },
    {
      title: 'gateway',
      intro: 'Accepts mail.',
      rows: [
        { path: 'gateway.size', value: 1, meaning: 'First line, second line.' },
        { path: 'gateway.probe', value: { a: 1, b: 2 }, meaning: 'All of it.' },
      ],
    },
    {
      title: 'api',
      intro: '',
      rows: [
        { path: 'api.size', value: 2, meaning: 'First line, second line.' },
        { path: 'api.probe', value: { a: 3 }, meaning: 'All of it.' },
        { path: 'api.other.c', value: 4, meaning: '' },
      ],
    },
  ]);
});
