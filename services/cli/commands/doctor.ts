/** `inlet doctor`: checks everything between a sender and a receiver, and says what to do. */
import { readFile } from 'node:fs/promises';

import type { Api } from '../api/client.ts';
import type { Cli } from '../api/cli.ts';
import { certificateOfUrl, checkApi, checkGateway, checkMail } from '../doctor/checks.ts';
import { checkPlan } from '../doctor/plan.ts';
import { failed, type Finding, skipped } from '../doctor/finding.ts';
import { findingLine } from '../doctor/finding-line.ts';
import { checkMongo, checkNats } from '../doctor/servers.ts';
import { ExitCode, Failure } from '../terminal/failure.ts';
import { causesOf } from '../terminal/fault-text.ts';

/** Asks MongoDB with its driver, which the npm package lacks. @throws if it cannot be asked */
export type MongoVersion = (uri: string, caFile: string | undefined) => Promise<string>;

type Options = { address?: string; domain?: string };

export function addDoctorCommand(cli: Cli, mongoVersion?: MongoVersion): void {
  cli.program
    .command('doctor')
    .description(
      'check DNS, port 25, TLS, the API, the plan, NATS, MongoDB, the clock and a receiver',
    )
    .option('--domain <domain>', 'look up its MX records, and connect to port 25')
    .option('--address <address>', 'check the certificate of its receiver')
    .addHelpText(
      'after',
      '\nNATS and MongoDB are those of NATS_URL and MONGODB_URI, else of the running npm start.',
    )
    .action(async (options: Options) => {
      const findings = await examine(cli, options, mongoVersion);
      cli.print(findings, () => findings.map((one) => findingLine(one, cli.paint())).join(''));
      const faults = findings.filter(({ result }) => result === 'failed');
      if (faults.length > 0)
        throw new Failure(`failed: ${faults.map(({ check }) => check).join(', ')}`);
    });
}

async function examine(
  cli: Cli,
  { address, domain }: Options,
  mongoVersion?: MongoVersion,
): Promise<Finding[]> {
  const { env } = cli.terminal;
  const connection = await cli.connect().catch((error: unknown) => {
    if (error instanceof Failure && error.exitCode === ExitCode.notAllowed) return error;
    throw error;
  });
  const running = connection instanceof Failure ? undefined : connection.running;
  const privateCa = connection instanceof Failure ? [] : connection.privateCa;
  const ca = [...privateCa, ...(await authoritiesOf(running?.ca_file))];
  const trusted = [
    ...privateCa,
    ...(await authoritiesOf(
      running && (running.webhook_ca_file ?? running.ca_file),
      env.WEBHOOK_CA_FILE,
    )),
  ];
  const gateway = running && { host: running.smtp_host, port: running.smtp_port };
  const parts: Promise<Finding[] | Finding>[] = [
    connection instanceof Failure
      ? Promise.resolve(noConnection(connection, domain !== undefined && address === undefined))
      : checkApi(connection.request, connection.apiUrl, connection.token, ca),
    ...(connection instanceof Failure ? [] : [checkPlan(connection.api)]),
    gateway
      ? checkGateway('gateway', gateway, trusted)
      : Promise.resolve(skipped('gateway', 'it is checked through --domain')),
    domain === undefined ? Promise.resolve(skipped('mx', 'give --domain')) : checkMail(domain),
    address === undefined
      ? Promise.resolve(skipped('receiver', 'give --address'))
      : connection instanceof Failure
        ? Promise.resolve(skipped('receiver', 'its URL is known to the API only'))
        : checkReceiver(() => webhookUrlOf(connection.api, address), trusted),
    checkNats({
      url: env.NATS_URL || running?.nats_url,
      hasLogin: Boolean(env.NATS_USER || env.NATS_CREDS_FILE),
    }),
    checkMongo(
      env.MONGODB_URI || running?.mongodb_uri,
      mongoVersion && ((uri) => mongoVersion(uri, env.MONGODB_CA_FILE || undefined)),
    ),
  ];
  return (await Promise.all(parts)).flat();
}

/** The checks of a domain need no API. */
const noConnection = ({ message }: Failure, isNotNeeded: boolean): Finding =>
  isNotNeeded
    ? skipped('api', 'no API is known')
    : failed('api', 'no API is known', message.replace(/^no API is known\. /, ''));

/** The texts of PEM files, separated by commas as in WEBHOOK_CA_FILE. @throws Failure when one cannot be read */
const authoritiesOf = (...lists: (string | undefined)[]): Promise<string[]> =>
  Promise.all(
    lists
      .flatMap((list) => list?.split(/\s*,\s*/) ?? [])
      .filter(Boolean)
      .map((file) =>
        readFile(file, 'utf8').catch((cause: unknown) => {
          throw new Failure(`cannot read ${file}`, ExitCode.failed, { cause });
        }),
      ),
  );

const webhookUrlOf = async ({ call }: Api, address_id: string): Promise<string | null> =>
  (await call('GET /addresses/{address_id}', { params: { address_id } })).webhook_url;

async function checkReceiver(
  findUrl: () => Promise<string | null>,
  ca: readonly string[],
): Promise<Finding[]> {
  try {
    const url = await findUrl();
    if (url === null) return [skipped('receiver', 'the address has no webhook URL')];
    return await certificateOfUrl('receiver', url, ca, 'WEBHOOK_CA_FILE in docs/settings.md');
  } catch (error) {
    const isMissing = error instanceof Failure && error.exitCode === ExitCode.notFound;
    return [failed('receiver', causesOf(error), isMissing ? 'check the id' : 'see the API')];
  }
}
