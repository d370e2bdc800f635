/** Commands that ask something exit with 1 when the answer is no. */
import { createServer } from 'node:http';
import { once } from 'node:events';

import type { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createProgram } from '../../services/cli/program.ts';
import { runCommand, terminalOf } from '../support/inlet-command.ts';

const REFUSED = { outcome: 'refused', status_code: 404 };
const ACCEPTED = { outcome: 'accepted', status_code: 204 };
const rules = (result: string) => ({
  action: 'deliver',
  tags: [],
  facts: [],
  warnings: [],
  rules: [{ name: 'partners', scope: 'address', action: 'hold', result, error: null }],
});

/** In the order: the command, an answer that is no, one that is yes. */
const CHECKS: [args: string[], no: object, yes: object][] = [
  [['addresses', 'test', 'addr_1'], REFUSED, ACCEPTED],
  [['receivers', 'test', 'addr_1', 'rcv_1'], REFUSED, ACCEPTED],
  [['notifications', 'test', 'ntf_1'], REFUSED, ACCEPTED],
  [['buckets', 'test', 'bkt_1'], { ok: false, error: 'no access' }, { ok: true, error: null }],
  [['domains', 'verify', 'dom_1'], { problem: 'txt_missing' }, { problem: null }],
  [['rules', 'test', '--event', 'evt_1'], rules('failed'), rules('matched')],
];

let answer: object = {};
const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
});
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close().closeAllConnections());

test.each(CHECKS)('%j', async (args, no, yes) => {
  const { port } = server.address() as { port: number };
  const env = { INLET_API_URL: `http://127.0.0.1:${port}/v1`, INLET_TOKEN: 'svc_live_x' };
  const ask = async (given: object) => {
    answer = given;
    return runCommand(['--json', ...args], { env });
  };
  expect(await ask(no)).toMatchObject({
    code: 1,
    out: `${JSON.stringify(no, undefined, 2)}\n`,
    err: '',
  });
  expect(await ask(yes)).toMatchObject({ code: 0, err: '' });
});

test('these are all of them', () => {
  const pathsOf = (command: Command, path: string[] = []): string[][] => [
    path,
    ...command.commands.flatMap((one) => pathsOf(one, [...path, one.name()])),
  ];
  const asking = pathsOf(createProgram(terminalOf(), '0.0.0'))
    .filter((path) => path.length > 1 && /^(test|verify|check)$/.test(path.at(-1) ?? ''))
    .map((path) => path.join(' '));
  expect(asking.toSorted()).toEqual(CHECKS.map(([args]) => args.slice(0, 2).join(' ')).toSorted());
});
