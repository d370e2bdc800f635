/**
 * The admin CLI: accounts, tokens, plans, invoices, domains and encryption keys. It works directly
 * on MongoDB and needs no running API.
 */
import { parseArgs } from 'node:util';
import { z } from 'zod';

import { accountIndexes, createAccounts } from '../../adapters/mongo/accounts.ts';
import { addressIndexes } from '../../adapters/mongo/address-documents.ts';
import { ConfigError, readConfig } from '../../adapters/process/config.ts';
import { createDomains } from '../../adapters/mongo/domains.ts';
import { domainIndexes } from '../../adapters/mongo/domain-documents.ts';
import { createInvoices } from '../../adapters/mongo/metering/invoices.ts';
import { causeChain, createLog } from '../../adapters/process/log.ts';
import {
  connectMongo,
  ensureIndexes,
  type Mongo,
  MongoConfig,
} from '../../adapters/mongo/connection.ts';
import { PlanConfig, readPlans } from '../../platform/settings/plans.ts';
import { reencryptSecrets } from '../../adapters/mongo/reencryption.ts';
import { createSecretBox, SecretsConfig } from '../../adapters/mongo/secrets.ts';
import { createTokens, tokenIndexes } from '../../adapters/mongo/tokens.ts';
import { usageEventIndexes } from '../../adapters/mongo/metering/events.ts';
import { Environment } from '../../core/account/address.ts';
import { checkDomain } from '../../core/account/address-name.ts';
import { Permission, PERMISSIONS } from '../../core/account/permission.ts';
import { TOKEN_NAME_MAX_CHARS } from '../../core/account/token.ts';

type Output = { print: (line: string) => void; printError: (line: string) => void };
type Invocation = {
  mongo: Mongo;
  env: NodeJS.ProcessEnv;
  args: string[];
  options: Record<string, string | undefined>;
};
type Command = {
  usage: string;
  about: string;
  options?: readonly string[];
  run(invocation: Invocation): Promise<unknown>;
};

/** Printed with the usage of the command; the exit code is 2. */
class UsageError extends Error {
  override readonly name = 'UsageError';
}

const COMMANDS: Record<string, Command> = {
  'account create': {
    usage: '--email EMAIL --name NAME [--company COMPANY]',
    about: 'create an account',
    options: ['email', 'name', 'company'],
    run: async ({ mongo, options: { company, ...options } }) => {
      const email = required(options.email, '--email');
      if (!z.email().safeParse(email).success)
        throw new UsageError(`"${email}" is not an email address`);
      return createAccounts(mongo.db).create({
        email,
        name: required(options.name, '--name'),
        ...(company !== undefined && { company }),
      });
    },
  },
  'account list': {
    usage: '',
    about: 'list all accounts, oldest first',
    run: ({ mongo }) => createAccounts(mongo.db).list(),
  },
  'account suspend': {
    usage: 'ACCOUNT_ID',
    about:
      'refuse API requests within a second and mail within 30 seconds (450 4.7.1); accepted mail ' +
      'is still delivered',
    run: async ({ mongo, args: [id] }) =>
      resultOf(
        await createAccounts(mongo.db).suspend(required(id, 'ACCOUNT_ID'), new Date()),
        'account',
        { id, suspended: true },
      ),
  },
  'account resume': {
    usage: 'ACCOUNT_ID',
    about: 'end a suspension',
    run: async ({ mongo, args: [id] }) =>
      resultOf(await createAccounts(mongo.db).resume(required(id, 'ACCOUNT_ID')), 'account', {
        id,
        suspended: false,
      }),
  },
  'token create': {
    usage: '--account ACCOUNT_ID --name NAME [--environment live|test] [--permissions one,other]',
    about: 'create an API token and print it once; default: all permissions',
    options: ['account', 'name', 'environment', 'permissions'],
    run: async ({ mongo, options }) => {
      const accountId = await existingAccount(mongo, options.account);
      const name = required(options.name, '--name');
      if (Array.from(name).length > TOKEN_NAME_MAX_CHARS)
        throw new UsageError(`--name can have at most ${TOKEN_NAME_MAX_CHARS} characters`);
      const environment = Environment.safeParse(options.environment ?? 'live').data;
      if (environment === undefined) throw new UsageError('--environment must be live or test');
      const permissions = z
        .array(Permission)
        .safeParse((options.permissions ?? PERMISSIONS.join(',')).split(',')).data;
      if (permissions === undefined)
        throw new UsageError(
          `--permissions must be a comma-separated list of ${PERMISSIONS.join(', ')}`,
        );
      return createTokens(mongo.db).issue({
        accountId,
        name,
        environment,
        permissions: [...new Set(permissions)],
      });
    },
  },
  'token list': {
    usage: '--account ACCOUNT_ID',
    about: 'list the API tokens of an account, newest first',
    options: ['account'],
    run: async ({ mongo, options }) =>
      createTokens(mongo.db).list(await existingAccount(mongo, options.account)),
  },
  'token revoke': {
    usage: '--account ACCOUNT_ID TOKEN_ID',
    about: 'revoke an API token; every API process refuses it within a second',
    options: ['account'],
    run: async ({ mongo, options, args: [id] }) =>
      resultOf(
        await createTokens(mongo.db).revoke(
          await existingAccount(mongo, options.account),
          required(id, 'TOKEN_ID'),
        ),
        'token of this account',
        { id, deleted: true },
      ),
  },
  'plan set': {
    usage: 'ACCOUNT_ID PLAN',
    about: 'move an account to a plan of the catalog (PLANS)',
    run: async ({ mongo, env, args: [id, plan] }) => {
      const { plans } = await readPlans(readConfig(z.object(PlanConfig), env));
      if (!Object.hasOwn(plans, required(plan, 'PLAN')))
        throw new UsageError(`PLAN must be one of ${Object.keys(plans).join(', ')}`);
      return resultOf(
        await createAccounts(mongo.db).setPlan(required(id, 'ACCOUNT_ID'), required(plan, 'PLAN')),
        'account',
        { id, plan },
      );
    },
  },
  'invoice mark-paid': {
    usage: 'INVOICE_ID',
    about: 'mark an open invoice as paid',
    run: settle('paid'),
  },
  'invoice void': {
    usage: 'INVOICE_ID',
    about: 'mark an open invoice as void',
    run: settle('void'),
  },
  'domain owner': {
    usage: 'DOMAIN',
    about:
      'list the verified domains that prevent other accounts from verifying this one: itself, ' +
      'its parents and its subdomains',
    run: async ({ mongo, args: [name] }) =>
      (await createDomains(mongo.client, mongo.db).conflicting(normalizeDomain(name))).map(
        ({ token: _token, ...record }) => record,
      ),
  },
  'domain release': {
    usage: 'DOMAIN',
    about:
      'remove a verified domain and its addresses from its account, so that the new owner can ' +
      'verify it; gateways stop accepting its mail within 30 seconds',
    run: async ({ mongo, args: [name] }) => {
      const {
        record: { domain, account_id, environment },
        addresses,
      } = requireFound(
        await createDomains(mongo.client, mongo.db).release(normalizeDomain(name), new Date()),
        'verified domain',
      );
      return { domain, account_id, environment, addresses_deleted: addresses };
    },
  },
  'secrets reencrypt': {
    usage: '',
    about: 'encrypt every webhook secret again with the first key of SECRET_KEYS',
    run: async ({ mongo, env }) =>
      reencryptSecrets(
        mongo.db,
        createSecretBox(readConfig(z.object(SecretsConfig), env).SECRET_KEYS),
      ),
  },
};

const HELP = `npm run admin -- COMMAND …

${Object.entries(COMMANDS)
  .map(([name, { usage, about }]) => `  ${`${name} ${usage}`.trim()}\n      ${about}`)
  .join('\n')}

Settings: MONGODB_URI for all commands, SECRET_KEYS for secrets reencrypt, PLANS for plan set. The output is JSON.`;

/** Resolves with the exit code: 0 done, 1 failed, 2 usage error. */
export async function runAdmin(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  { print, printError }: Output,
): Promise<number> {
  if (argv.length === 0 || argv.includes('--help') || argv.includes('-h')) {
    print(HELP);
    return argv.length === 0 ? 2 : 0;
  }
  const name = argv.slice(0, 2).join(' ');
  const command = COMMANDS[name];
  if (command === undefined) {
    printError(`unknown command "${name}", see --help`);
    return 2;
  }
  try {
    const parsed = parseArguments(command, argv.slice(2));
    const { MONGODB_URI } = readConfig(z.object(MongoConfig), env);
    await using mongo = await connectMongo(MONGODB_URI, createLog('silent'));
    await ensureIndexes(mongo.db, [
      accountIndexes,
      addressIndexes,
      domainIndexes,
      tokenIndexes,
      usageEventIndexes,
    ]);
    print(JSON.stringify(await command.run({ mongo, env, ...parsed }), undefined, 2));
    return 0;
  } catch (error) {
    if (error instanceof UsageError)
      printError(`${error.message}\nusage: npm run admin -- ${name} ${command.usage}`);
    else printError(error instanceof ConfigError ? error.message : causeChain(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

function settle(status: 'paid' | 'void'): Command['run'] {
  return async function settleInvoice({ mongo, args: [id] }) {
    return resultOf(
      await createInvoices(mongo.db).settle(required(id, 'INVOICE_ID'), status, new Date()),
      'open invoice',
      { id, status },
    );
  };
}

function parseArguments(
  { options = [] }: Command,
  argv: readonly string[],
): Pick<Invocation, 'args' | 'options'> {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: Object.fromEntries(options.map((option) => [option, { type: 'string' as const }])),
    });
    return { args: positionals, options: values };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function required(value: string | undefined, name: string): string {
  if (value === undefined || value === '') throw new UsageError(`${name} is required`);
  return value;
}

/** In the form in which domains are stored. */
function normalizeDomain(text: string | undefined): string {
  const checked = checkDomain(required(text, 'DOMAIN'));
  if ('fault' in checked) throw new UsageError(`"${text}" is not a domain name`);
  return checked.domain;
}

async function existingAccount(mongo: Mongo, id: string | undefined): Promise<string> {
  const account = await createAccounts(mongo.db).find(required(id, '--account'));
  if (account === undefined) throw new Error(`account ${id} not found`);
  return account.id;
}

function requireFound<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`${what} not found`);
  return value;
}

function resultOf<T>(isDone: boolean, what: string, result: T): T {
  if (!isDone) throw new Error(`${what} not found`);
  return result;
}
