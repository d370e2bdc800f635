/**
 * The commands of `inlet admin`, for operators of the platform. They work on MongoDB, so they need
 * no running API. The modules that do the work are loaded when a command runs: MongoDB's driver
 * takes longer to load than all other commands take to run.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';

import { ARCHIVE_KINDS } from '../../core/archive/archive.ts';
import { type Permission, PERMISSIONS } from '../../core/account/permission.ts';
import { countIn } from '../arguments.ts';
import { jsonFor } from '../screen/text.ts';
import type { Terminal } from '../terminal.ts';
import type { BackupOptions } from './backup.ts';
import type { RestoreOptions } from './restore.ts';
import type { Database } from './database.ts';
import type { ReadOptions } from './records-archive.ts';

const ENVIRONMENTS = ['live', 'test'];
const INVOICE_STATUSES = ['open', 'paid', 'void'];
const ACCOUNT_OPTION = '--account <account-id>';

const accounts = () => import('./accounts.ts');
const tokens = () => import('./tokens.ts');
const invoices = () => import('./invoices.ts');
const domains = () => import('./domains.ts');
const dashboard = () => import('./dashboard.ts');
const backups = () => import('./backup.ts');
const restores = () => import('./restore.ts');
const archive = () => import('./records-archive.ts');

/** Makes an action of a function, whose arguments are those of the command, and prints its result. */
type Act = <Args extends unknown[]>(
  load: () => Promise<(database: Database, ...args: Args) => Promise<unknown>>,
) => (...args: Args) => Promise<void>;

export function addAdminCommand(program: Command, terminal: Terminal): void {
  const admin = program
    .command('admin')
    .description(
      'administer the platform: accounts, tokens, plans, invoices, domains, keys, backups, old records',
    )
    .addHelpText(
      'after',
      '\nThe output is JSON. The commands use the database of MONGODB_URI, else that of the running\n' +
        '"npm start". secrets reencrypt, backup and restore read SECRET_KEYS, plan set reads PLANS,\n' +
        'archive read reads ARCHIVE_ENDPOINT and the settings beside it.',
    );

  const act: Act =
    (load) =>
    async (...args) => {
      const { openDatabase } = await import('./database.ts');
      await using database = await openDatabase(terminal);
      const result = await (await load())(database, ...args);
      terminal.write(jsonFor(terminal, `${JSON.stringify(result, undefined, 2)}\n`));
    };

  addAccountCommands(admin, act);
  addTokenCommands(admin, act);
  addInvoiceCommands(admin, act);
  addDomainCommands(admin, act);
  addDashboardCommand(admin, act);
  addBackupCommands(admin, terminal, act);
  addArchiveCommands(admin, terminal, act);
  admin
    .command('secrets')
    .description('keys that encrypt webhook secrets')
    .command('reencrypt')
    .description('encrypt every webhook secret again with the first key of SECRET_KEYS')
    .action(act(async () => (await domains()).reencrypt));
}

function addAccountCommands(admin: Command, act: Act): void {
  const account = admin.command('account').description('accounts of customers');
  account
    .command('create')
    .description('create an account; its email address must be unique')
    .requiredOption('--email <email>', 'email address of the owner')
    .requiredOption('--name <name>', 'name of the owner')
    .option('--company <company>', 'company, for invoices')
    .action(act(async () => (await accounts()).createAccount));
  account
    .command('list')
    .description('list all accounts, oldest first')
    .action(act(async () => (await accounts()).listAccounts));
  account
    .command('show <account-id>')
    .description('show an account, its subscription, and how many addresses and tokens it has')
    .action(act(async () => (await accounts()).showAccount));
  account
    .command('update <account-id>')
    .description('change the owner of an account')
    .option('--email <email>', 'email address of the owner')
    .option('--name <name>', 'name of the owner')
    .option('--company <company>', 'company, for invoices')
    .action(act(async () => (await accounts()).updateAccount));
  account
    .command('suspend <account-id>')
    .description(
      'refuse API requests within a second and mail within 30 seconds (450 4.7.1); accepted mail ' +
        'is still delivered',
    )
    .action(act(async () => (await accounts()).suspendAccount));
  account
    .command('resume <account-id>')
    .description('end a suspension')
    .action(act(async () => (await accounts()).resumeAccount));
  account
    .command('close <account-id>')
    .description(
      'delete the addresses, domains and tokens of an account, and cancel its subscription; ' +
        'its invoices and deliveries remain',
    )
    .option('--yes', 'close it; without this, show what would be deleted')
    .action(act(async () => (await accounts()).closeAccount));
  admin
    .command('plan')
    .description('plans of accounts')
    .command('set <account-id> <plan>')
    .description('move an account to a plan of the catalog (PLANS)')
    .action(act(async () => (await accounts()).setPlan));
}

function addTokenCommands(admin: Command, act: Act): void {
  const token = admin.command('token').description('API tokens of accounts');
  token
    .command('create')
    .description('create an API token and print it once')
    .requiredOption(ACCOUNT_OPTION, 'account that gets the token')
    .requiredOption('--name <name>', 'name of the token')
    .addOption(environmentOption())
    .addOption(permissionsOption())
    .action(act(async () => (await tokens()).createToken));
  token
    .command('list')
    .description('list the API tokens of an account, newest first')
    .requiredOption(ACCOUNT_OPTION, 'account that has the tokens')
    .action(act(async () => (await tokens()).listTokens));
  token
    .command('revoke <token-id>')
    .description('revoke an API token; every API process refuses it within a second')
    .requiredOption(ACCOUNT_OPTION, 'account that has the token')
    .action(act(async () => (await tokens()).revokeToken));
}

function addDashboardCommand(admin: Command, act: Act): void {
  admin
    .command('dashboard')
    .description('the dashboard of an account')
    .command('link')
    .description('create a link that signs in once, within five minutes')
    .requiredOption(ACCOUNT_OPTION, 'account to sign in to')
    .option('--origin <url>', 'URL of the API; default: PUBLIC_API_URL')
    .addOption(environmentOption())
    .addOption(permissionsOption())
    .action(act(async () => (await dashboard()).linkToDashboard));
}

function addInvoiceCommands(admin: Command, act: Act): void {
  const invoice = admin.command('invoice').description('invoices of ended billing periods');
  invoice
    .command('list')
    .description('list invoices, newest first')
    .option(ACCOUNT_OPTION, 'only those of this account')
    .addOption(
      new Option('--status <status>', 'only those with this status').choices(INVOICE_STATUSES),
    )
    .option('--limit <number>', 'at most this number of invoices', countIn, 100)
    .action(act(async () => (await invoices()).listInvoices));
  invoice
    .command('mark-paid <invoice-id>')
    .description('mark an open invoice as paid')
    .action(act(async () => (await invoices()).markPaid));
  invoice
    .command('void <invoice-id>')
    .description('mark an open invoice as void')
    .action(act(async () => (await invoices()).voidInvoice));
}

function addDomainCommands(admin: Command, act: Act): void {
  const domain = admin.command('domain').description('domains that accounts have verified');
  domain
    .command('owner <domain>')
    .description(
      'list the verified domains that prevent other accounts from verifying this one: itself, ' +
        'its parents and its subdomains',
    )
    .action(act(async () => (await domains()).domainOwners));
  domain
    .command('release <domain>')
    .description(
      'remove a verified domain and its addresses from its account, so that the new owner can ' +
        'verify it; gateways stop accepting its mail within 30 seconds',
    )
    .action(act(async () => (await domains()).releaseDomain));
}

function addBackupCommands(admin: Command, terminal: Terminal, act: Act): void {
  const withoutMail = '--without-mail';
  const unsigned = '--unsigned';
  admin
    .command('backup')
    .description(
      'write the database and the streams of NATS to standard output, compressed; what they hold ' +
        'goes to standard error',
    )
    .option(withoutMail, 'leave out the streams: emails that wait, and those kept for replay')
    .option(
      '--verify <file>',
      'instead, read a file as a restore would, which needs only SECRET_KEYS',
    )
    .option(unsigned, 'with --verify: also a file of version 0.1.0')
    .action(async (options: BackupOptions & { verify?: string; unsigned?: boolean }) => {
      if (options.verify !== undefined) {
        const { verifyBackup } = await backups();
        const found = await verifyBackup(terminal, options.verify, options.unsigned ?? false);
        return terminal.write(jsonFor(terminal, `${JSON.stringify(found, undefined, 2)}\n`));
      }
      const { openDatabase } = await import('./database.ts');
      await using database = await openDatabase(terminal);
      const contents = await (await backups()).backUp(database, terminal, options);
      terminal.complain(`${JSON.stringify(contents)}\n`);
    });
  admin
    .command('restore')
    .description(
      'read a backup from standard input into an empty installation in which no service runs ' +
        '(maintenance of the chart)',
    )
    .option(withoutMail, 'leave out the streams')
    .option('--replace', 'replace everything that Inlet has stored, when the backup has been read')
    .option('--undo', 'instead, bring back what a restore that was killed has replaced')
    .option(unsigned, 'accept a file of version 0.1.0, which nobody can prove to be unchanged')
    .option(
      '--move-namespace <former=new>',
      'records of Kubernetes resources in this namespace become those of another one; repeatable',
      (pair: string, pairs: string[]) => [...pairs, pair],
      [] as string[],
    )
    .action(
      act(async () => {
        const { restore } = await restores();
        return (database, options: RestoreOptions) => restore(database, terminal, options);
      }),
    );
}

const kindOption = () =>
  new Option('--kind <kind>', 'records of deliveries, or events of the audit trail')
    .choices(ARCHIVE_KINDS)
    .default('deliveries');
const monthOption = ['--month <month>', 'only those of this month (UTC), such as 2026-03'] as const;

function addArchiveCommands(admin: Command, terminal: Terminal, act: Act): void {
  const group = admin.command('archive').description('records that RECORDS_RETENTION archived');
  group
    .command('list')
    .description('list the files in the bucket, oldest records first')
    .addOption(kindOption())
    .option(...monthOption)
    .action(act(async () => (await archive()).listArchive));
  group
    .command('read')
    .description('write a line of JSON for each record, oldest first; each record once')
    .addOption(kindOption())
    .option(...monthOption)
    .option(ACCOUNT_OPTION, 'only those of this account')
    .option('--address <address-id>', 'only those of this address or receiver')
    .option('--id <id>', 'only this delivery or event')
    .action(async (options: ReadOptions) => {
      const { openDatabase } = await import('./database.ts');
      await using database = await openDatabase(terminal);
      await (await archive()).readArchive(database, terminal, options);
    });
}

const environmentOption = () =>
  new Option('--environment <environment>', 'environment').choices(ENVIRONMENTS).default('live');

const permissionsOption = () =>
  new Option('--permissions <list>', 'permissions, separated by commas')
    .argParser(permissionsIn)
    .default([...PERMISSIONS], 'all permissions');

function permissionsIn(text: string): Permission[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  const known = PERMISSIONS.filter((permission) => names.includes(permission));
  if (known.length !== names.length)
    throw new InvalidArgumentError(
      `It must be a comma-separated list of ${PERMISSIONS.join(', ')}.`,
    );
  return known;
}
