/** Every alert has a provocation with processes, or a reason why only series can provoke it. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { CASES } from './cases.ts';

const FOLDER = join(import.meta.dirname, 'provoke');
/** promtool feeds them the series of cases.ts. */
const BY_SERIES: Record<string, string> = {
  InletNatsVolumeFilling: 'only a kubelet reports volumes',
};

test('every alert is provoked with processes, or says why not', async () => {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.provoke.ts'));
  const texts = await Promise.all(files.map((name) => readFile(join(FOLDER, name), 'utf8')));
  const provoked = texts.join('\n').match(/(?<=')Inlet[A-Z]\w+(?=')/g) ?? [];
  const named = new Set([...provoked, ...Object.keys(BY_SERIES)]);
  expect([...named].toSorted()).toEqual(Object.keys(CASES).toSorted());
});
