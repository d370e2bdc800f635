/** The output of a process in a container: every line of it, and no others. */
import { expect, test, vi } from 'vitest';

import { startProcess } from '../../services/standalone/processes/child-process.ts';

test('a line ends at a line feed alone, also the last one without it', async () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const program = 'process.stdout.write(`{"helo":"a\\u2028b"}\\nready\\nlast`)';
  const child = await startProcess({
    name: 'a program',
    command: process.execPath,
    args: ['-e', program],
    env: {},
  });
  await child.exited;
  const shown = write.mock.calls.map(([text]) => text);
  write.mockRestore();
  expect(shown).toEqual(['{"helo":"a\u2028b"}\n', 'ready\n', 'last\n']);
});
