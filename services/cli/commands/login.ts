/** `inlet login`, `logout` and `profiles`: tokens that are stored for later commands. */
import { resolve } from 'node:path';

import { createApi } from '../api/client.ts';
import { checkedApiUrl } from '../api/connection.ts';
import { createFetch, readCaFile } from '../api/fetch.ts';
import type { Cli } from '../api/cli.ts';
import { ExitCode, Failure, notFoundFault, usageFault } from '../terminal/failure.ts';
import { profilesFile, readProfiles, writeProfiles } from '../terminal/profiles.ts';
import { table } from '../terminal/text.ts';
import type { Terminal } from '../terminal/terminal.ts';

const DEFAULT_PROFILE = 'default';
const TOKEN_SHAPE = /^svc_(live|test)_[\w-]+$/;

export function addLoginCommands(cli: Cli): void {
  const { env } = cli.terminal;
  cli.program
    .command('login')
    .description('store an API token for later commands, after a check')
    .option('--api-url <url>', 'URL of the API; default: INLET_API_URL')
    .addHelpText(
      'after',
      '\nThe token is read from standard input, or from INLET_TOKEN. The file has mode 600.\n' +
        '  inlet login --api-url https://inlet.example.com/v1 < token.txt',
    )
    .action(async ({ apiUrl = env.INLET_API_URL }: { apiUrl?: string }) => {
      if (!apiUrl) throw usageFault('give --api-url, or set INLET_API_URL');
      const url = checkedApiUrl(apiUrl);
      const token = await readToken(cli);
      const caFile = cli.caFile();
      const environment = await requireValid(cli, url, token, caFile);
      const name = cli.profileName() ?? DEFAULT_PROFILE;
      const { profiles } = await readProfiles(env);
      await writeProfiles(env, {
        current: name,
        profiles: {
          ...profiles,
          [name]: {
            api_url: url,
            token,
            ...(caFile !== undefined && { ca_file: resolve(cli.terminal.cwd, caFile) }),
          },
        },
      });
      cli.print(
        { profile: name, api_url: url, environment, file: profilesFile(env) },
        ({ profile, file }) =>
          `profile ${profile} is stored in ${file}, and is now the current one\n`,
      );
    });

  cli.program
    .command('logout')
    .description('delete a profile from this machine; the token stays valid')
    .action(async () => {
      const { current, profiles } = await readProfiles(env);
      const name = cli.profileName() ?? current;
      if (name === undefined || profiles[name] === undefined) throw notFoundFault('profile');
      const { [name]: removed, ...others } = profiles;
      const next = name === current ? Object.keys(others)[0] : current;
      await writeProfiles(env, { ...(next !== undefined && { current: next }), profiles: others });
      cli.print(
        { profile: name, api_url: removed?.api_url },
        ({ profile }) => `profile ${profile} is deleted\n`,
      );
    });

  cli.program
    .command('profiles')
    .description('list the profiles, and which one is current')
    .action(async () => {
      const { current, profiles } = await readProfiles(env);
      const rows = Object.entries(profiles).map(([name, { api_url, token }]) => ({
        name,
        api_url,
        environment: token.split('_')[1] ?? '',
        is_current: name === current,
      }));
      cli.print(rows, () =>
        table(rows, [
          { title: 'NAME', of: ({ name }) => name },
          { title: 'API', of: ({ api_url }) => api_url },
          { title: 'ENVIRONMENT', of: ({ environment }) => environment },
          { title: 'CURRENT', of: ({ is_current }) => (is_current ? '*' : '') },
        ]),
      );
    });
}

async function readToken({ terminal }: Cli): Promise<string> {
  const token = (terminal.env.INLET_TOKEN || (await readInput(terminal))).trim();
  if (!TOKEN_SHAPE.test(token))
    throw usageFault('the input is not a token: svc_live_… or svc_test_…');
  return token;
}

async function readInput(terminal: Terminal): Promise<string> {
  return terminal.isInputInteractive
    ? terminal.readSecret('Paste the token, which is not shown, and press Enter:\n')
    : (await terminal.readInput()).toString();
}

/** A token without account:read is valid, too. */
async function requireValid(
  { userAgent, terminal }: Cli,
  apiUrl: string,
  token: string,
  caFile: string | undefined,
): Promise<string> {
  const request = createFetch(caFile === undefined ? [] : [await readCaFile(caFile)]);
  const api = createApi({ apiUrl, token, request }, userAgent, terminal.stopped);
  const { status } = await api.send('GET', '/account');
  if (status === 401)
    throw new Failure(`the API at ${apiUrl} refuses this token`, ExitCode.notAllowed);
  if (status !== 200 && status !== 403)
    throw new Failure(`${apiUrl} responded with ${status}: is it the URL of the API?`);
  return token.split('_')[1] ?? '';
}
