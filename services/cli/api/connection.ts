/**
 * Which API a command calls, and with which token: the profile of `--profile`, else INLET_TOKEN
 * with INLET_API_URL, else the current profile, else the running `npm start`.
 */
import { ExitCode, Failure } from '../terminal/failure.ts';
import { readProfiles } from '../terminal/profiles.ts';
import { findRunningInlet, isLoopback, type RunningInlet } from '../terminal/running-inlet.ts';
import type { Terminal } from '../terminal/terminal.ts';

export type Connection = {
  /** URL with /v1, without a slash at the end. */
  apiUrl: string;
  token: string;
  /** For messages: `profile work`, `INLET_TOKEN`, `npm start`. */
  source: string;
  /** PEM file of private authorities, of the profile. */
  caFile?: string;
  /** Set when the API belongs to the running `npm start`. */
  running?: RunningInlet;
};

/** @throws Failure when nothing names an API and a token */
export async function findConnection(
  terminal: Terminal,
  profileName: string | undefined,
): Promise<Connection> {
  const { env } = terminal;
  const running = await findRunningInlet(terminal);
  if (profileName === undefined && env.INLET_TOKEN) {
    if (!env.INLET_API_URL)
      throw new Failure('INLET_TOKEN is set, but INLET_API_URL is not', ExitCode.usage);
    return connection(env.INLET_API_URL, env.INLET_TOKEN, 'INLET_TOKEN', running);
  }
  const { current, profiles } = await readProfiles(env);
  const name = profileName ?? current;
  const profile = name === undefined ? undefined : profiles[name];
  if (profile !== undefined) {
    const { api_url, token, ca_file: caFile } = profile;
    const found = connection(api_url, token, `profile ${name}`);
    if (profileName === undefined) requireSameApi(env, found);
    return { ...found, ...(caFile !== undefined && { caFile }) };
  }
  if (profileName !== undefined)
    throw new Failure(
      `there is no profile ${profileName}. Create it with inlet login --profile ${profileName}`,
      ExitCode.usage,
    );
  if (running !== undefined) {
    const found = connection(running.api_url, running.token, 'npm start', running);
    requireSameApi(env, found);
    return found;
  }
  if (env.INLET_API_URL)
    throw new Failure('INLET_API_URL is set, but INLET_TOKEN is not', ExitCode.usage);
  throw new Failure(
    'no API is known. Start Inlet with npm start, sign in with inlet login, or set INLET_API_URL ' +
      'and INLET_TOKEN',
    ExitCode.notAllowed,
  );
}

/** A token is never sent to another server than its own. */
function requireSameApi(
  { INLET_API_URL }: NodeJS.ProcessEnv,
  { apiUrl, source }: Connection,
): void {
  if (!INLET_API_URL || checkedApiUrl(INLET_API_URL) === apiUrl) return;
  throw new Failure(
    `INLET_API_URL is ${INLET_API_URL}, but INLET_TOKEN is not set, and the token of ${source} is ` +
      `for ${apiUrl}. Set INLET_TOKEN, choose a profile with --profile, or unset INLET_API_URL`,
    ExitCode.usage,
  );
}

function connection(
  apiUrl: string,
  token: string,
  source: string,
  running?: RunningInlet,
): Connection {
  const url = checkedApiUrl(apiUrl);
  return { apiUrl: url, token, source, ...(running?.api_url === url && { running }) };
}

/** @throws Failure when the URL would send the token over the network in plain text */
export function checkedApiUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new Failure(`${text} is not an HTTP URL`, ExitCode.usage);
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new Failure(`${text} would send the token unencrypted: use https`, ExitCode.usage);
  const path = url.pathname.replace(/\/+$/, '');
  return `${url.origin}${path === '' ? '/v1' : path}`;
}
