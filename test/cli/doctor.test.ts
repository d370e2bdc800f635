/** `inlet doctor` and `inlet dashboard` against all of Inlet as `npm start` runs it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { runCommand } from '../support/inlet-command.ts';
import { startWholeSystem, type WholeSystem } from '../support/whole-system.ts';

let system: WholeSystem;
let token: string;
beforeAll(async () => {
  system = await startWholeSystem();
  ({ token } = system.standalone.state());
});
afterAll(async () => system?.[Symbol.asyncDispose]());

const doctor = (...args: string[]) =>
  runCommand(['doctor', ...args], {
    env: { INLET_DIR: system.standalone.dataDir, INLET_TOKEN: token },
  });

describe('doctor', () => {
  test('finds nothing wrong with a running npm start and its receiver', async () => {
    const address = await system.address('/doctor');
    const { code, out } = await doctor('--address', address.id, '--json');
    const findings = JSON.parse(out) as { check: string; result: string }[];
    expect(code).toBe(0);
    expect(Object.fromEntries(findings.map(({ check, result }) => [check, result]))).toEqual({
      api: 'ok',
      clock: 'ok',
      gateway: 'ok',
      mx: 'skipped',
      receiver: 'ok',
      nats: 'ok',
      mongodb: 'ok',
    });
  });

  test('says what is wrong and what to do', async () => {
    const address = await system.address('/wrong', { webhook_url: 'https://127.0.0.1:1/' });
    const { code, out, err } = await doctor('--address', address.id, '--domain', 'no.invalid');
    expect(code).toBe(1);
    expect(out).toMatch(/failed +mx +no\.invalid has no MX record[^\n]*\n +→ publish an MX record/);
    expect(out).toMatch(/failed +receiver +127\.0\.0\.1: .*ECONNREFUSED/);
    expect(err).toBe('inlet: failed: mx, receiver\n');
  });
});

test('dashboard --print prints a link that signs in', async () => {
  const env = { INLET_DIR: system.standalone.dataDir };
  const { out } = await runCommand(['dashboard', '--print'], { env });
  expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/dashboard\/#code=\S+\n$/);
});
