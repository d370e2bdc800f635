/** Ports for servers that start at the same time, in this process and in others. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import { freePort } from '../../services/standalone/processes/ports.ts';

const PORTS = 300;
const MODULE = new URL('../../services/standalone/processes/ports.ts', import.meta.url).href;

async function ports(): Promise<number[]> {
  const found: number[] = [];
  while (found.length < PORTS) found.push(await freePort());
  return found;
}

test('no port is returned twice, though no server listens on it yet', async () => {
  const found = await ports();
  expect(new Set(found).size).toBe(PORTS);
});

test.runIf(process.platform === 'linux')('another process gets other ports', async () => {
  const here = await ports();
  const script = `
    import { freePort } from ${JSON.stringify(MODULE)};
    for (let n = 0; n < ${PORTS}; n++) console.log(await freePort());
  `;
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const there = stdout.trim().split('\n').map(Number);
  expect(there).toHaveLength(PORTS);
  expect(here.filter((port) => there.includes(port))).toEqual([]);
});
