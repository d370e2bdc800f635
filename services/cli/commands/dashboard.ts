/** `inlet dashboard`: opens the dashboard in a browser, signed in. */
import { spawn } from 'node:child_process';

import type { Cli } from '../cli.ts';
import { Failure } from '../failure.ts';

const OPENERS: Partial<Record<NodeJS.Platform, [command: string, args: string[]]>> = {
  darwin: ['open', []],
  win32: ['rundll32', ['url.dll,FileProtocolHandler']],
};

export function addDashboardCommand(cli: Cli): void {
  cli.program
    .command('dashboard')
    .description('open the dashboard in a browser, signed in')
    .option('--print', 'only print the link; it works once, for five minutes')
    .action(async ({ print = false }: { print?: boolean }) => {
      const { api, apiUrl } = await cli.connect();
      const link = await api.call('POST /account/dashboard-links', { body: {} });
      const { href, origin } = webUrl(link.url);
      const opens = !print && !cli.wantsJson();
      const isOwn = origin === new URL(apiUrl).origin;
      if (opens && !isOwn)
        cli.terminal.complain(
          `not opened: the link leads to ${origin}, not to the API at ${apiUrl}. Open it if you trust it\n`,
        );
      const isOpened = opens && isOwn && (await open(href));
      cli.print(link, () => (isOpened ? 'the dashboard opens in your browser\n' : `${href}\n`));
    });
}

/** @throws Failure for another URL: the program that opens it may run a file, or read an option */
function webUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  throw new Failure('the API responded with a link that is not http or https');
}

/** False when this machine has no program that opens links. */
function open(url: string): Promise<boolean> {
  const [command, args] = OPENERS[process.platform] ?? ['xdg-open', []];
  return new Promise((resolve) => {
    const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false)).once('spawn', () => resolve(true));
    child.unref();
  });
}
