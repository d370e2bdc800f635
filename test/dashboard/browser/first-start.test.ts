/** The link that `npm start` prints, in a real browser. */
import { expect, test } from 'vitest';

import { runStandalone } from '../../../services/standalone/run.ts';
import { findBrowser } from '../../support/browser.ts';
import { testDir } from '../../support/servers.ts';
import { until } from '../../support/until.ts';
import { standaloneConfig } from '../../support/start-standalone.ts';
import { watch } from './dashboard.ts';

const openBrowser = await findBrowser();

test.skipIf(!openBrowser)(
  'npm start prints a link that opens the dashboard, signed in and showing the first email',
  async () => {
    if (!openBrowser) return;
    await using dir = await testDir();
    await using parts = new AsyncDisposableStack();
    const config = standaloneConfig(dir.path);
    let screen = '';
    const stop = Promise.withResolvers<string>();
    const running = runStandalone(config, {
      env: process.env,
      write: (text) => void (screen += text),
      stopAsked: stop.promise,
      onReady: () => undefined,
    });
    parts.defer(async () => {
      stop.resolve('end of the test');
      await running;
    });
    const printed = until('the link', () => /^ {2}(http\S+#code=\S+)$/m.exec(screen)?.[1]);
    const link = await Promise.race([printed, running.then(() => '')]);

    const browser = await openBrowser();
    parts.defer(() => browser.close());
    const page = await browser.newPage();
    const faults = watch(page);
    await page.goto(link);
    await page.getByRole('heading', { level: 1, name: 'Your first email' }).waitFor();
    await page.getByText('This email arrived over SMTP and left as a signed webhook.').waitFor();
    await page.getByText('HTTP 200').waitFor();
    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
    expect(page.url()).not.toContain('code=');
    expect(faults).toEqual([]);
  },
);
