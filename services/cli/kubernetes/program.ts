/** `kubectl inlet`: a plugin of kubectl that finds an installation and runs `inlet` for it. */
import { resolve } from 'node:path';

import { Command, Option } from 'commander';

import { type Cli, createCli } from '../api/cli.ts';
import { ExitCode, Failure } from '../terminal/failure.ts';
import { configured, finish, runInlet, VERSION_OPTION } from '../program.ts';
import { table } from '../terminal/text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import {
  accountIdOf,
  findInstallation,
  type Installation,
  tokenOf,
} from './cluster/installation.ts';
import { createKubectl, type Kubectl, type Target } from './cluster/kubectl.ts';
import { gatherReport, writeArchive } from './report.ts';
import { gatherStatus, type Status } from './cluster/status.ts';

type Options = Target & { release?: string };
type LinkOptions = { account?: string; environment: string; port: string };
type TailOptions = { token?: string; address?: string; types?: string; since?: string };
type InstallationAccess = { kubectl: Kubectl; installation: Installation };

export function createPlugin(terminal: Terminal, version: string): Command {
  const program = configured(new Command('kubectl inlet'), terminal)
    .description(
      'An installation of Inlet in the cluster of kubectl: state, email, and bug reports.',
    )
    .option('-n, --namespace <name>', 'namespace of the installation; default: where there is one')
    .option('--release <name>', 'Helm release, if there are several')
    .option('--context <name>', 'context of the kubeconfig')
    .option('--kubeconfig <file>', 'file with the cluster and the user')
    .version(version, ...VERSION_OPTION);
  const cli = createCli(program, terminal, version);
  const access = async (): Promise<InstallationAccess> => {
    const options = program.opts<Options>();
    const kubectl = createKubectl(terminal, options);
    return { kubectl, installation: await findInstallation(kubectl, options) };
  };
  addStatus(cli, access);
  addTail(cli, access);
  addLink(cli, access);
  addRetry(cli, access);
  addReport(cli, access);
  program.helpCommand(false);
  return program;
}

export async function runPlugin(
  argv: readonly string[],
  terminal: Terminal,
  version: string,
): Promise<ExitCode> {
  return finish(createPlugin(terminal, version), argv, terminal);
}

function addStatus(cli: Cli, access: () => Promise<InstallationAccess>): void {
  cli.program
    .command('status')
    .description('show pods, versions, custom resources, the queue, and what is wrong')
    .addHelpText('after', '\nIt exits with 1 when something is wrong.')
    .action(async () => {
      const { kubectl, installation } = await access();
      const status = await gatherStatus(kubectl, installation);
      cli.print(status, (shown) => statusText(cli, shown));
      if (status.problems.length > 0)
        throw new Failure(
          status.problems.length === 1
            ? '1 problem, see above'
            : `${status.problems.length} problems, see above`,
        );
    });
}

function statusText(cli: Cli, status: Status): string {
  const { bold, red, green } = cli.paint();
  const { release, namespace, version, workloads, resources, queue, problems } = status;
  const parts = [
    `${bold(`release ${release}`)} in namespace ${namespace}, version ${version}\n`,
    table(workloads, [
      { title: 'WORKLOAD', of: ({ name }) => name },
      { title: 'READY', of: ({ ready, wanted }) => `${ready}/${wanted}` },
      { title: 'IMAGE', of: ({ images }) => images.join(', ') },
    ]),
    resources.length === 0
      ? 'no custom resources\n'
      : table(resources, [
          { title: 'RESOURCE', of: ({ kind, name }) => `${kind}/${name}` },
          { title: 'NAMESPACE', of: (one) => one.namespace },
          { title: 'READY', of: ({ ready }) => ready },
          { title: 'REASON', of: ({ reason }) => reason },
        ]),
    ...(queue === null
      ? []
      : [`queue: ${queue.mails} emails, the oldest for ${queue.oldest_seconds} s\n`]),
    problems.length === 0
      ? green('nothing is wrong\n')
      : problems.map((line) => `${red('✗')} ${line}\n`).join(''),
  ];
  return parts.join('\n');
}

function addTail(cli: Cli, access: () => Promise<InstallationAccess>): void {
  withToken(cli.program.command('tail'))
    .description('show emails, attempts and changes of an account as they happen')
    .option('--address <address>', 'only events of this address: its name, or its id (addr_…)')
    .option('--types <list>', 'only these events: email.received,webhook.failed')
    .option('--since <time>', 'begin with events since a time, or a duration ago: 1h')
    .action(async ({ token, address, types, since }: TailOptions) => {
      const options = Object.entries({ address, types, since });
      const args = options.flatMap(([name, value]) => (value ? [`--${name}`, value] : []));
      await runForApi(cli, await access(), token, ['tail', ...args]);
    });
}

function addRetry(cli: Cli, access: () => Promise<InstallationAccess>): void {
  withToken(cli.program.command('retry'))
    .description('make the next attempt of an email due now')
    .argument('<event-id>', 'event_id of the email')
    .action(async (eventId: string, { token }: TailOptions) =>
      runForApi(cli, await access(), token, ['deliveries', 'retry', eventId]),
    );
}

const withToken = (command: Command): Command =>
  command.addOption(
    new Option(
      '--token <name>',
      'ApiToken resource with the token: NAME or NAMESPACE/NAME; INLET_TOKEN wins',
    ),
  );

/** Runs `inlet` with the API of the installation: its public URL, else through a port-forward. */
async function runForApi(
  { terminal, version, wantsJson }: Cli,
  { kubectl, installation }: InstallationAccess,
  tokenName: string | undefined,
  words: string[],
): Promise<void> {
  const token = terminal.env.INLET_TOKEN || (await tokenOf(kubectl, installation, tokenName));
  const run = async (apiUrl: string) => {
    const env = { ...terminal.env, INLET_API_URL: apiUrl, INLET_TOKEN: token };
    const args = wantsJson() ? [...words, '--json'] : words;
    const code = await runInlet(args, { ...terminal, env }, version);
    if (code !== ExitCode.done) throw new Failure('', code); // it has printed why
  };
  const { publicUrl, namespace, name } = installation;
  const url = terminal.env.INLET_API_URL || publicUrl;
  if (url?.startsWith('https:')) return run(url);
  await using forward = await kubectl.in(namespace).forward(`${name}-api`, 'http');
  await run(`http://127.0.0.1:${forward.port}/v1`); // the forward ends after it
}

function addLink(cli: Cli, access: () => Promise<InstallationAccess>): void {
  cli.program
    .command('link')
    .description('make a link that signs in to the dashboard of an account, once')
    .option('--account <account>', 'acc_…, or an Account resource: NAME or NAMESPACE/NAME')
    .addOption(new Option('--environment <environment>').choices(['live', 'test']).default('live'))
    .option('--port <port>', 'local port for the dashboard, without a public URL', '8080')
    .action(async ({ account, environment, port }: LinkOptions) => {
      const { kubectl, installation } = await access();
      const { namespace, name, publicUrl } = installation;
      const accountId = await accountIdOf(kubectl, installation, account);
      const origin = publicUrl === undefined ? ['--origin', `http://127.0.0.1:${port}`] : [];
      const choice = ['--account', accountId, '--environment', environment, ...origin];
      const link = JSON.parse(
        await kubectl
          .in(namespace)
          .run('exec', `deployment/${name}-api`, '--', ...LINK_COMMAND, ...choice),
      ) as { url: string; expires_at: string };
      const command = `kubectl -n ${namespace} port-forward service/${name}-api ${port}:http`;
      const port_forward = publicUrl === undefined ? command : null;
      cli.print({ ...link, port_forward }, ({ url }) =>
        port_forward === null ? `${url}\n` : `${url}\nFirst run: ${port_forward}\n`,
      );
    });
}

const LINK_COMMAND = ['inlet', 'admin', 'dashboard', 'link', '--json'];

function addReport(cli: Cli, access: () => Promise<InstallationAccess>): void {
  cli.program
    .command('report')
    .description('collect versions, conditions, events and logs for a bug report, without secrets')
    .option('-o, --output <file>', 'the archive', 'inlet-report.tar.gz')
    .action(async ({ output }: { output: string }) => {
      const { kubectl, installation } = await access();
      const files = await gatherReport(kubectl, installation, cli.version);
      const path = resolve(cli.terminal.cwd, output);
      await writeArchive(path, files);
      cli.print(
        { path, files: files.map(({ name }) => name) },
        () => `${path}: ${files.length} files. Read it before you send it.\n`,
      );
    });
}
