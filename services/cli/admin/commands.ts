/**
 * The commands of `inlet admin`, for operators of the platform. They work on MongoDB, so they need
 * no running API. The modules that do the work are loaded when a command runs: MongoDB's driver
 * takes longer to load than all other commands take to run.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';

import { type Permission, PERMISSIONS } from '../../core/token/permission.ts';
import { countIn, durationIn, searching } from '../terminal/arguments.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type Act, printJson } from './act.ts';
import { addBackupCommands } from './backup-commands.ts';

const ENVIRONMENTS = ['live', 'test'];
const INVOICE_STATUSES = ['open', 'paid', 'void'];
const ACCOUNT_OPTION = '--account <account-id>';

const accounts = () => import('./accounts.ts');
const tokens = () => import('./tokens.ts');
const invoices = () => import('./invoices.ts');
const domains = () => import('./domains.ts');
const dashboard = () => import('./dashboard.ts');

export function addAdminCommand(program: Command, terminal: Terminal): void {
  const admin = program
    .command('admin')
    .description(
      'administer the platform: accounts, tokens, plans, invoices, domains, keys, backups',
    )
    .addHelpText(
      'after',
      '\nThe output is JSON. The commands use the database of MONGODB_URI, else\n' +
        'that of the running "npm start". secrets reencrypt, backup and restore read SECRET_KEYS,\n' +
        'plan set reads PLANS, backups in a bucket read BACKUP_BUCKET and the other BACKUP settings.',
    )
    .option(
      '--timeout <duration>',
      'wait for MongoDB and NATS for this time, such as 2m; otherwise there is one attempt of 4s',
      durationIn,
    );

  const open = async () => {
    const { openDatabase } = await import('./database.ts');
    return openDatabase(terminal, admin.opts<{ timeout?: number }>().timeout);
  };
  const act: Act =
    (load) =>
    async (...args) => {
      await using database = await open();
      printJson(terminal, await (await load())(database, ...args));
    };

  addAccountCommands(admin, act);
  addTokenCommands(admin, act);
  addInvoiceCommands(admin, act);
  addDomainCommands(admin, act);
  addDashboardCommand(admin, act);
  addBackupCommands(admin, terminal, { act, open });
  admin
    .command('access-report')
    .description('who read emails of a sender, in accounts with record_views')
    .requiredOption('--about <sender>', 'an email address, or a domain')
    .option(ACCOUNT_OPTION, 'only in this account; default: all')
    .option('--since <duration>', 'not longer ago than this, such as 30d', durationIn)
    .action(act(async () => (await import('./access-report.ts')).accessReport));
  searching(admin.command('refusals'))
    .description('email that was refused, the last one first: for a sender who asks')
    .requiredOption(ACCOUNT_OPTION, 'account of the address or the domain')
    .option('--limit <number>', 'at most this number of records', countIn, 100)
    .addOption(environmentOption())
    .action(act(async () => (await import('./refusals.ts')).listRefusals));
  admin
    .command('mongodb')
    .description('the MongoDB of MONGODB_URI')
    .command('status')
    .description(
      'show the state, replication lag, disk and slow operations of each member; exit with 1 when none ' +
        'accepts writes',
    )
    .action(async () => (await import('./mongodb.ts')).printMongodbStatus(terminal));
  admin
    .command('secrets')
    .description('keys that encrypt webhook secrets')
    .command('reencrypt')
    .description(
      'encrypt every webhook secret, and the content key of each account, again with the first key of ' +
        'SECRET_KEYS',
    )
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
      'delete the addresses, domains and tokens of an account, end all its email that waits or is held, and ' +
        'cancel its subscription; its invoices and deliveries remain, but content that is encrypted cannot ' +
        'be read any more',
    )
    .option(
      '--erase',
      'erase the content of all its email as well, also sender and subject in records',
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
