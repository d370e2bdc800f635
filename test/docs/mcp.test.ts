/** docs/mcp.md has each tool, whether it reads or writes, and each parameter of each tool. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { createAddressTool } from '../../services/api/mcp/address-tools.ts';
import { emailTools } from '../../services/api/mcp/email-tools.ts';
import { listTools } from '../../services/api/mcp/list-tools.ts';
import { refusalTools } from '../../services/api/mcp/refusal-tools.ts';

const PAGE = join(import.meta.dirname, '../../docs/mcp.md');
/** Only their definitions are read. */
const nothing = {} as never;

const namesIn = (cell = ''): string[] =>
  [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);

test('the tables of docs/mcp.md are those of the tools', async () => {
  const tools = [
    createAddressTool(true),
    ...listTools(nothing),
    ...refusalTools(),
    ...emailTools(nothing),
  ];
  const rows = (await readFile(PAGE, 'utf8'))
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    );
  const ofTools = rows.filter((cells) => cells.length === 4);
  expect(Object.fromEntries(ofTools.map(([name, , kind]) => [namesIn(name)[0], kind]))).toEqual(
    Object.fromEntries(
      tools.map(({ name, annotations }) => [name, annotations.readOnlyHint ? 'reads' : 'writes']),
    ),
  );
  const ofParameters = rows.filter((cells) => cells.length === 3);
  const written = ofParameters.flatMap(([parameters, of]) =>
    namesIn(parameters).flatMap((name) => namesIn(of).map((tool) => `${tool} ${name}`)),
  );
  const known = tools.flatMap(({ name, input }) =>
    Object.keys(input.shape).map((parameter) => `${name} ${parameter}`),
  );
  expect(written.toSorted()).toEqual(known.toSorted());
});
