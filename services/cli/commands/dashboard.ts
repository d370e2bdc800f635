/** `inlet dashboard` and `inlet open`: open the dashboard in a browser, signed in. */
import { spawn } from 'node:child_process';

import type { Cli } from '../api/cli.ts';
import { ExitCode, Failure, usageFault } from '../terminal/failure.ts';

const OPENERS: Partial<Record<NodeJS.Platform, [command: string, args: string[]]>> = {
  darwin: ['open', []],
  win32: ['rundll32', ['url.dll,FileProtocolHandler']],
};

type Options = { print?: boolean };

const ID = /^\w{1,64}$/;
const PRINT = ['--print', 'only print the link; it works once, for five minutes'] as const;

export function addDashboardCommand(cli: Cli): void {
  cli.program
    .command('dashboard')
    .description('open the dashboard in a browser, signed in')
    .option(...PRINT)
    .action((options: Options) => openDashboard(cli, options));

  cli.program
    .command('open')
    .description('open an email in the dashboard, signed in')
    .argument('[event-id]', 'the email; default: the newest one')
    .option(...PRINT)
    .action(async (id: string | undefined, options: Options) => {
      if (id !== undefined && !ID.test(id)) throw usageFault(`${id} is not an event id (evt_…)`);
      const { api } = await cli.connect();
      const found =
        id === undefined
          ? (await api.call('GET /deliveries', { query: { limit: 1 } })).data[0]
          : await api.call('GET /deliveries/{event_id}', { params: { event_id: id } });
      if (found === undefined) throw new Failure('There is no email yet', ExitCode.notFound);
      await openDashboard(cli, options, `mail/${found.event_id}`);
    });
}

/** @param screen path below that of the dashboard */
async function openDashboard(cli: Cli, { print = false }: Options, screen = ''): Promise<void> {
  const { api, apiUrl } = await cli.connect();
  const link = await api.call('POST /account/dashboard-links', { body: {} });
  const url = webUrl(link.url);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${screen}`;
  const { href, origin } = url;
  const opens = !print && !cli.wantsJson();
  const isOwn = origin === new URL(apiUrl).origin;
  if (opens && !isOwn)
    cli.terminal.complain(
      `not opened: the link leads to ${origin}, not to the API at ${apiUrl}. Open it if you trust it\n`,
    );
  const isOpened = opens && isOwn && (await open(href));
  cli.print({ ...link, url: href }, () =>
    isOpened ? 'the dashboard opens in your browser\n' : `${href}\n`,
  );
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
