/** Ports for servers that start at the same time, in this process and in others. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import { freePort, requireFreePorts } from '../../services/standalone/processes/ports.ts';

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

test('ports that are in use are named together, with the settings that change them', async () => {
  const servers = await Promise.all(
    [1, 2].map(async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return { server, port: (server.address() as AddressInfo).port };
    }),
  );
  const [one, two] = servers.map(({ port }) => port);
  const wanted = [
    { port: one ?? 0, what: 'SMTP', setting: 'SMTP_PORT' },
    { port: 0, what: 'nothing' },
    { port: two ?? 0, what: 'the API', setting: 'API_PORT' },
  ];
  await expect(requireFreePorts(wanted)).rejects.toThrow(
    `port ${one} for SMTP and port ${two} for the API are in use: stop the programs that use them, ` +
      'or set SMTP_PORT and API_PORT to other ports (0 for any free port)',
  );
  for (const { server } of servers) server.close();
});
