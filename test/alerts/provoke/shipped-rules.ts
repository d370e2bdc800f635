/** The files with alerts in the chart. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { rulesByAlert } from './scaled-rules.ts';

const FOLDER = join(import.meta.dirname, '../../../charts/inlet/files/alerts');

/** The text of each file, by its name. */
export const ruleTexts = new Map<string, string>();
for (const name of ['inlet.yaml', 'slo.yaml'])
  ruleTexts.set(name, await readFile(join(FOLDER, name), 'utf8'));

/** Each alert as the chart has it, in its order. */
export const shippedRules = rulesByAlert([...ruleTexts.values()]);
