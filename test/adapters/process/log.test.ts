/** Log lines: one JSON line per event, with its fields and the chain of causes. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

import { causeChain } from '../../../services/adapters/process/log.ts';

const LOG = join(import.meta.dirname, '../../../services/adapters/process/log.ts');

/** The log lines of a process that runs this script. */
async function written(level: string, script: string): Promise<Record<string, unknown>[]> {
  const program = [
    `import { createLog } from ${JSON.stringify(LOG)};`,
    `const log = createLog(${JSON.stringify(level)}, { service: 'gateway' });`,
    script,
  ].join('\n');
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    program,
  ]);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('an event is one line: level, time, service, name, fields', async () => {
  expect(
    await written(
      'info',
      "log.info('mail.accepted', { bytes: 7, text: 'two\\nlines' }); " +
        "log.child({ event_id: 'evt_1' }).warn('mail.delayed');",
    ),
  ).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      service: 'gateway',
      event: 'mail.accepted',
      bytes: 7,
      text: 'two\nlines',
    },
    {
      level: 'warn',
      time: expect.any(String),
      service: 'gateway',
      event_id: 'evt_1',
      event: 'mail.delayed',
    },
  ]);
});

test.each([
  ['debug', 4],
  ['info', 3],
  ['warn', 2],
  ['error', 1],
  ['silent', 0],
])('at level %s, %d of the four are logged', async (level, lines) => {
  expect(
    await written(
      level,
      `for (const one of ['debug', 'info', 'warn', 'error']) log[one]('happened');`,
    ),
  ).toHaveLength(lines);
});

test('an error field says what failed and why, without a stack', async () => {
  const [line] = await written(
    'info',
    `log.error('mail.refused', { error: new Error('store evt_1', { cause: new Error('connect ECONNREFUSED') }) });`,
  );
  expect(line).toMatchObject({ error: 'store evt_1: connect ECONNREFUSED' });
});

test.each<[string, unknown, string]>([
  ['one error', new Error('no'), 'no'],
  [
    'causes, outermost first',
    new Error('a', { cause: new Error('b', { cause: new Error('c') }) }),
    'a: b: c',
  ],
  ['a cause that is not an Error', new Error('a', { cause: 'b' }), 'a: b'],
  [
    'an error without a message but with a code',
    Object.assign(new Error(''), { code: 'ECONNREFUSED' }),
    'ECONNREFUSED',
  ],
  ['an error without either', new TypeError(''), 'TypeError'],
  ['a text', 'no', 'no'],
  ['nothing', undefined, ''],
])('%s', (_, error, text) => {
  expect(causeChain(error)).toBe(text);
});

test('a circular chain ends', () => {
  const error = new Error('a');
  error.cause = new Error('b', { cause: error });
  expect(causeChain(error)).toBe('a: b');
});
