/** A person is asked before what cannot be undone; a script is not. */
import { expect, test } from 'vitest';

import { agreed } from '../../../services/cli/terminal/agreement.ts';
import { terminalOf } from '../../support/inlet-command.ts';

const AT_TERMINAL = { isInputInteractive: true, isInteractive: true };

test.each([
  ['a person who agrees', { ...AT_TERMINAL, answer: ' Yes\n' }, {}, true],
  ['a person who presses Enter', { ...AT_TERMINAL, answer: '' }, {}, false],
  ['a person with --yes', { ...AT_TERMINAL, answer: 'no' }, { yes: true }, true],
  ['a script', { answer: 'no' }, {}, true],
  ['a pipe behind a terminal', { ...AT_TERMINAL, isInteractive: false, answer: 'no' }, {}, true],
])('%s', async (_, { answer, ...terminal }, options, isDone) => {
  const asked: string[] = [];
  const readLine = (prompt: string) => Promise.resolve(answer).finally(() => asked.push(prompt));
  const outcome = await agreed(terminalOf({ ...terminal, readLine }), options, 'delete it?').then(
    () => 'done',
    (error: Error) => error.message,
  );
  expect(outcome).toBe(isDone ? 'done' : 'nothing was changed');
  expect(asked.every((prompt) => prompt === 'delete it? [y/N] ')).toBe(true);
});
