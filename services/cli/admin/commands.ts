/**
 * The commands of `inlet admin`, for operators of the platform. They work on MongoDB, so they need
 * no running API. The modules that do the work are loaded when a command runs: MongoDB's driver
 * takes longer to load than all other commands take to run.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';

import { type Permission, PERMISSIONS } from '../../core/account/permission.ts';
import { countIn } from '../arguments.ts';
import { jsonFor } from '../screen/text.ts';
import type { Terminal } from '../terminal.ts';
import type { Database } from './database.ts';

const ENVIRONMENTS = ['live', 'test'];
const INVOICE_STATUSES = ['open', 'paid', 'void'];
const ACCOUNT_OPTION = '--account <account-id>';

const accounts = () => import('./accounts.ts');
const tokens = () => import('./tokens.ts');
const invoices = () => import('./invoices.ts');
const domains = () => import('./domains.ts');
const dashboard = () => import('./dashboard.ts');

type Run = (work: (database: Database) => Promise<unknown>) => Promise<void>;

export function addAdminCommand(program: Command, terminal: Terminal): void {
  const admin = program
    .command('admin')
    .description('administer the platform: accounts, tokens, plans, invoices, domains, keys')
    .addHelpText(
      'after',
      '\nThe output is JSON. The commands use the database of MONGODB_URI, else that of the running\n' +
        '"npm start". secrets reencrypt reads SECRET_KEYS, plan set reads PLANS.',
    );

  const run: Run = async (work) => {
    const { openDatabase } = await import('./database.ts');
    await using database = await openDatabase(terminal);
    terminal.write(jsonFor(terminal, `${JSON.stringify(await work(database), undefined, 2)}\n`));
  };

  addAccountCommands(admin, run);
  addTokenCommands(admin, run);
  addInvoiceCommands(admin, run);
  addDomainCommands(admin, run);
  addDashboardCommand(admin, run);
  admin
    .command('secrets')
    .description('keys that encrypt webhook secrets')
    .command('reencrypt')
    .description('encrypt every webhook secret again with the first key of SECRET_KEYS')
    .action(() => run(async (database) => (await domains()).reencrypt(database)));
}

function addAccountCommands(admin: Command, run: Run): void {
  const account = admin.command('account').description('accounts of customers');
  account
    .command('create')
    .description('create an account; its email address must be unique')
    .requiredOption('--email <email>', 'email address of the owner')
    .requiredOption('--name <name>', 'name of the owner')
    .option('--company <company>', 'company, for invoices')
    .action((options: { email: string; name: string; company?: string }) =>
      run(async (database) => (await accounts()).createAccount(database, options)),
    );
  account
    .command('list')
    .description('list all accounts, oldest first')
    .action(() => run(async (database) => (await accounts()).listAccounts(database)));
  account
    .command('show')
    .description('show an account, its subscription, and how many addresses and tokens it has')
    .argument('<account-id>')
    .action((id: string) => run(async (database) => (await accounts()).showAccount(database, id)));
  account
    .command('update')
    .description('change the owner of an account')
    .argument('<account-id>')
    .option('--email <email>', 'email address of the owner')
    .option('--name <name>', 'name of the owner')
    .option('--company <company>', 'company, for invoices')
    .action((id: string, options: object) =>
      run(async (database) => (await accounts()).updateAccount(database, id, options)),
    );
  account
    .command('suspend')
    .description(
      'refuse API requests within a second and mail within 30 seconds (450 4.7.1); accepted mail ' +
        'is still delivered',
    )
    .argument('<account-id>')
    .action((id: string) =>
      run(async (database) => (await accounts()).suspendAccount(database, id)),
    );
  account
    .command('resume')
    .description('end a suspension')
    .argument('<account-id>')
    .action((id: string) =>
      run(async (database) => (await accounts()).resumeAccount(database, id)),
    );
  account
    .command('close')
    .description(
      'delete the addresses, domains and tokens of an account, and cancel its subscription; ' +
        'its invoices and deliveries remain',
    )
    .argument('<account-id>')
    .option('--yes', 'close it; without this, show what would be deleted')
    .action((id: string, { yes: isConfirmed = false }: { yes?: boolean }) =>
      run(async (database) => (await accounts()).closeAccount(database, id, { isConfirmed })),
    );
  admin
    .command('plan')
    .description('plans of accounts')
    .command('set')
    .description('move an account to a plan of the catalog (PLANS)')
    .argument('<account-id>')
    .argument('<plan>')
    .action((id: string, plan: string) =>
      run(async (database) => (await accounts()).setPlan(database, id, plan)),
    );
}

function addTokenCommands(admin: Command, run: Run): void {
  const token = admin.command('token').description('API tokens of accounts');
  type NewToken = Parameters<Awaited<ReturnType<typeof tokens>>['createToken']>[1];
  token
    .command('create')
    .description('create an API token and print it once')
    .requiredOption(ACCOUNT_OPTION, 'account that gets the token')
    .requiredOption('--name <name>', 'name of the token')
    .addOption(environmentOption())
    .addOption(permissionsOption())
    .action((options: NewToken) =>
      run(async (database) => (await tokens()).createToken(database, options)),
    );
  token
    .command('list')
    .description('list the API tokens of an account, newest first')
    .requiredOption(ACCOUNT_OPTION, 'account that has the tokens')
    .action(({ account }: { account: string }) =>
      run(async (database) => (await tokens()).listTokens(database, account)),
    );
  token
    .command('revoke')
    .description('revoke an API token; every API process refuses it within a second')
    .requiredOption(ACCOUNT_OPTION, 'account that has the token')
    .argument('<token-id>')
    .action((id: string, { account }: { account: string }) =>
      run(async (database) => (await tokens()).revokeToken(database, account, id)),
    );
}

function addDashboardCommand(admin: Command, run: Run): void {
  type Link = Parameters<Awaited<ReturnType<typeof dashboard>>['linkToDashboard']>[1];
  admin
    .command('dashboard')
    .description('the dashboard of an account')
    .command('link')
    .description('create a link that signs in once, within five minutes')
    .requiredOption(ACCOUNT_OPTION, 'account to sign in to')
    .option('--origin <url>', 'URL of the API; default: PUBLIC_API_URL')
    .addOption(environmentOption())
    .addOption(permissionsOption())
    .action((options: Link) =>
      run(async (database) => (await dashboard()).linkToDashboard(database, options)),
    );
}

function addInvoiceCommands(admin: Command, run: Run): void {
  const invoice = admin.command('invoice').description('invoices of ended billing periods');
  type Filter = Parameters<Awaited<ReturnType<typeof invoices>>['listInvoices']>[1];
  invoice
    .command('list')
    .description('list invoices, newest first')
    .option(ACCOUNT_OPTION, 'only those of this account')
    .addOption(
      new Option('--status <status>', 'only those with this status').choices(INVOICE_STATUSES),
    )
    .option('--limit <number>', 'at most this number of invoices', countIn, 100)
    .action((filter: Filter) =>
      run(async (database) => (await invoices()).listInvoices(database, filter)),
    );
  for (const [name, status] of [
    ['mark-paid', 'paid'],
    ['void', 'void'],
  ] as const)
    invoice
      .command(name)
      .description(`mark an open invoice as ${status}`)
      .argument('<invoice-id>')
      .action((id: string) =>
        run(async (database) => (await invoices()).settleInvoice(database, id, status)),
      );
}

function addDomainCommands(admin: Command, run: Run): void {
  const domain = admin.command('domain').description('domains that accounts have verified');
  domain
    .command('owner')
    .description(
      'list the verified domains that prevent other accounts from verifying this one: itself, ' +
        'its parents and its subdomains',
    )
    .argument('<domain>')
    .action((name: string) =>
      run(async (database) => (await domains()).domainOwners(database, name)),
    );
  domain
    .command('release')
    .description(
      'remove a verified domain and its addresses from its account, so that the new owner can ' +
        'verify it; gateways stop accepting its mail within 30 seconds',
    )
    .argument('<domain>')
    .action((name: string) =>
      run(async (database) => (await domains()).releaseDomain(database, name)),
    );
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
