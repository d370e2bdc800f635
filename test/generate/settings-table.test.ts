/**
 * The tables in docs/settings.md are generated from the schemas that read the settings.
 * `npm run golden` updates them.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';

import {
  fieldsOf,
  SERVICES,
  settingNames,
  settingsTables,
} from '../../services/generate/settings-tables.ts';
import { REMOVED_SETTINGS } from '../../services/adapters/process/removed-settings.ts';
import { StandaloneConfig } from '../../services/standalone/settings/config.ts';

const PAGE = join(import.meta.dirname, '../../docs/settings.md');
const SECTION = /(<!-- settings -->\n)[\s\S]*?(\n<!-- \/settings -->)/;

test('docs/settings.md lists every setting as the services read it', async () => {
  const page = await readFile(PAGE, 'utf8');
  expect(page).toMatch(SECTION);
  await expect(
    page.replace(SECTION, (_, start: string, end: string) => `${start}${settingsTables()}${end}`),
  ).toMatchFileSnapshot(PAGE);
});

test('the chart knows the names of all settings', async () => {
  await expect(
    `# Made from the schemas of the settings by: npm run golden\n${stringify(settingNames())}`,
  ).toMatchFileSnapshot(join(import.meta.dirname, '../../charts/inlet/files/settings.yaml'));
});

test('a removed setting is none that a service reads, and the chart knows what to do', async () => {
  const read = new Set(
    [...Object.values(SERVICES), StandaloneConfig].flatMap(({ shape }) => Object.keys(shape)),
  );
  expect(Object.keys(REMOVED_SETTINGS).filter((name) => read.has(name))).toEqual([]);
  const origin = '# Made from services/adapters/process/removed-settings.ts by: npm run golden\n';
  await expect(`${origin}${stringify(REMOVED_SETTINGS, { lineWidth: 0 })}`).toMatchFileSnapshot(
    join(import.meta.dirname, '../../charts/inlet/files/removed-settings.yaml'),
  );
});

test('every setting has a description', () => {
  for (const schema of [...Object.values(SERVICES), StandaloneConfig]) {
    expect(
      Object.entries(fieldsOf(schema))
        .filter(([, field]) => !field.description)
        .map(([name]) => name),
    ).toEqual([]);
  }
});
