/** `inlet dashboard`: opens the dashboard in a browser, signed in. */
import { spawn } from 'node:child_process';

import type { Cli } from '../cli.ts';

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
      const { api } = await cli.connect();
      const link = await api.call('POST /account/dashboard-links', { body: {} });
      const isOpened = !print && !cli.wantsJson() && (await open(link.url));
      cli.print(link, ({ url }) =>
        isOpened ? 'the dashboard opens in your browser\n' : `${url}\n`,
      );
    });
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
