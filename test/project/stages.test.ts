/**
 * Which test files `npm test` runs, and which of them without servers. A wrong answer about servers
 * fails: `inject` finds nothing without them.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, inject, test } from 'vitest';

import { divideTestFiles, leftOutText, STAGES } from '../run/stages.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..');

/** Not written out, because it would be an import of this file, too. */
const imported = (path: string) => `import { start } from '${path}.ts';`;

test('its name, its folder and what it imports decide about a file', async () => {
  const checkout = await mkdtemp(join(tmpdir(), 'inlet-files-'));
  const files = {
    'test/a/direct.test.ts': `import { inject } from 'vitest';\ninject('mongoUri');`,
    'test/a/far.test.ts': `import { start } from '../support/start.ts';`,
    'test/a/lazy.test.ts': `const { start } = await import('../support/servers.ts');`,
    'test/a/many-lines.test.ts': `import {\n  start,\n} from '../support/start.ts';`,
    'test/a/other.test.ts': `import { until } from '../support/until.ts';`,
    'test/a/service.test.ts': `import { start } from '../../services/start.ts';`,
    'test/a/heavy.load.test.ts': `import { start } from '../support/start.ts';`,
    'test/a/waits.slow.test.ts': '',
    'test/a/compiled.test.ts': imported('../support/helm'),
    'test/a/page.test.ts': imported('../dashboard/browser/dashboard'),
    'test/chart/one.test.ts': imported('../support/helm'),
    'test/clients/one.test.ts': '',
    'test/contract/one.test.ts': '',
    'test/cli/listen.test.ts': imported('../support/start-standalone'),
    'test/system/crash.test.ts': '',
    'test/system/first-mail.test.ts': imported('../support/start-standalone'),
    'test/dashboard/browser/dashboard.ts': imported('../../support/browser'),
    'test/support/browser.ts': imported('./debian-packages'),
    'test/support/debian-packages.ts': '',
    'test/support/go-tool.ts': '',
    'test/support/helm.ts': imported('./go-tool'),
    'test/support/start-standalone.ts': imported('./start'),
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
    expect(divideTestFiles(checkout)).toEqual({
      plain: ['test/a/other.test.ts', 'test/a/service.test.ts'],
      servers: [
        ...['direct', 'far', 'lazy', 'many-lines'].map((name) => `test/a/${name}.test.ts`),
        'test/system/first-mail.test.ts',
      ],
      load: ['test/a/heavy.load.test.ts'],
      slow: ['test/a/waits.slow.test.ts'],
      browser: ['test/a/page.test.ts'],
      contract: ['test/contract/one.test.ts'],
      languages: ['test/clients/one.test.ts'],
      chart: ['test/chart/one.test.ts'],
      programs: ['test/a/compiled.test.ts'],
      systems: ['test/cli/listen.test.ts', 'test/system/crash.test.ts'],
    });
  } finally {
    await rm(checkout, { recursive: true });
  }
});

test('each stage has files, and what recognizes them exists', () => {
  const files = divideTestFiles(CHECKOUT);
  for (const { name, ...how } of STAGES) {
    expect(files[name]).not.toEqual([]);
    const paths = ['folders' in how ? how.folders : [], 'reaches' in how ? how.reaches : []].flat();
    expect(paths.filter((path) => !existsSync(join(CHECKOUT, path)))).toEqual([]);
  }
  expect(files.servers).toContain('test/system/first-mail.test.ts');
  const lastLines = leftOutText(files).split('\n');
  for (const { name } of STAGES)
    expect(lastLines).toContainEqual(
      expect.stringMatching(new RegExp(`--stage ${name} .* \\(${files[name].length} files\\)$`)),
    );
});

test('this file uses inject, so it runs with servers', () => {
  expect(inject('mongoUri')).toMatch(/^mongodb:/);
});
