/**
 * The user's settings for the services of `npm start`: those that it adds to its own, and those
 * that it refuses because it needs another value itself. All others replace the values of npm start.
 */
import { removedSettingsIn } from '../../adapters/process/removed-settings.ts';
import type { Report } from '../fetch/binaries.ts';

type Settings = Record<string, string>;

/** The processes of this machine connect to 127.0.0.1, so every listener must include it. */
const LISTEN_ADDRESSES = ['127.0.0.1', '0.0.0.0', '::'];
const LISTENERS = ['SMTP_HOST', 'API_HOST', 'METRICS_HOST'];
const LIVE_TOKEN = /^svc_live_[A-Za-z0-9_-]{43}$/;
const PLAIN_HTTP = 'npm start serves the API by plain HTTP';

/** An empty setting counts as unset, as in the services. */
export const settingsIn = (env: NodeJS.ProcessEnv): Settings =>
  Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );

/** The user's keys, then ours. The first encrypts or signs, all decrypt or verify. */
export const joinedKeys = (given: string | undefined, own: string): string =>
  given === undefined ? own : `${given},${own}`;

/** @throws before anything starts, with the setting to unset */
export function checkSettings(given: Settings, report: Report, isProduction = false): void {
  const reason = refusal(given, isProduction);
  if (reason !== undefined) throw new Error(reason);
  for (const advice of removedSettingsIn(given)) report(advice);
}

function refusal(given: Settings, isProduction: boolean): string | undefined {
  if (given.REQUIRE_HTTPS === 'true')
    return `${PLAIN_HTTP}, so REQUIRE_HTTPS=true would refuse every request. Unset REQUIRE_HTTPS`;
  for (const name of ['API_TLS_CERT_FILE', 'API_TLS_KEY_FILE'])
    if (given[name] !== undefined) return `${PLAIN_HTTP}. Unset ${name}`;
  if (isProduction && given.INLET_TOKEN !== undefined && !LIVE_TOKEN.test(given.INLET_TOKEN))
    return 'INLET_TOKEN must be svc_live_ and 43 letters, digits, - or _';
  if (given.PROXY_PROTOCOL_NETWORKS !== undefined && !isProduction)
    return (
      'npm start sends emails without a proxy, which PROXY_PROTOCOL_NETWORKS would refuse. ' +
      'Unset PROXY_PROTOCOL_NETWORKS'
    );
  for (const name of LISTENERS) {
    const address = given[name];
    if (address !== undefined && !LISTEN_ADDRESSES.includes(address))
      return `npm start itself connects to 127.0.0.1: ${name} must be one of ${LISTEN_ADDRESSES.join(', ')}`;
  }
  return undefined;
}
