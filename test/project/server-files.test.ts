/** Which test files run without servers. A wrong answer fails: `inject` finds nothing without them. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, inject, test } from 'vitest';

import { divideTestFiles } from '../run/server-files.ts';

test('a file needs servers if it, or what it imports from test/, uses inject', async () => {
  const checkout = await mkdtemp(join(tmpdir(), 'inlet-files-'));
  const files = {
    'test/a/direct.test.ts': `import { inject } from 'vitest';\ninject('mongoUri');`,
    'test/a/far.test.ts': `import { start } from '../support/start.ts';`,
    'test/a/lazy.test.ts': `const { start } = await import('../support/servers.ts');`,
    'test/a/many-lines.test.ts': `import {\n  start,\n} from '../support/start.ts';`,
    'test/a/other.test.ts': `import { until } from '../support/until.ts';`,
    'test/a/service.test.ts': `import { start } from '../../services/start.ts';`,
    'test/a/heavy.load.test.ts': `import { start } from '../support/start.ts';`,
    'test/cluster/one.test.ts': `import { start } from '../support/start.ts';`,
    'test/support/start.ts': `import { startNats } from './servers.ts';`,
    'test/support/servers.ts': `import '../support/start.ts';\nexport const at = () => inject('natsServerBinary');`,
    'test/support/until.ts': '',
    'services/start.ts': `inject()`,
  };
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(checkout, path)), { recursive: true });
      await writeFile(join(checkout, path), text);
    }
    expect(divideTestFiles(checkout, ['test/cluster/**'])).toEqual({
      withServers: ['direct', 'far', 'lazy', 'many-lines'].map((name) => `test/a/${name}.test.ts`),
      withoutServers: ['test/a/other.test.ts', 'test/a/service.test.ts'],
      underLoad: ['test/a/heavy.load.test.ts'],
    });
  } finally {
    await rm(checkout, { recursive: true });
  }
});

test('this file uses inject, so it runs with servers', () => {
  expect(inject('mongoUri')).toMatch(/^mongodb:/);
});
