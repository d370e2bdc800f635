/** The administration of the platform from a shell: accounts, their tokens, plans and the keys of secrets. Straight on MongoDB: it needs no running API. */
import { parseArgs } from 'node:util';
import { z } from 'zod';

import { accountIndexes, createAccounts } from '../../adapters/mongo/accounts.ts';
import { addressIndexes } from '../../adapters/mongo/addresses.ts';
import { ConfigError, readConfig } from '../../adapters/process/config.ts';
import { createDomains, domainIndexes } from '../../adapters/mongo/domains.ts';
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

type Output = { print: (line: string) => void; complain: (line: string) => void };
type Given = {
  mongo: Mongo;
  env: NodeJS.ProcessEnv;
  words: string[];
  options: Record<string, string | undefined>;
};
type Command = {
  usage: string;
  about: string;
  options?: readonly string[];
  run(given: Given): Promise<unknown>;
};

/** Said to whoever typed it, with the usage. */
class UsageError extends Error {
  override readonly name = 'UsageError';
}

const COMMANDS: Record<string, Command> = {
  'account create': {
    usage: '--email EMAIL --name NAME [--company COMPANY]',
    about: 'make an account',
    options: ['email', 'name', 'company'],
    run: async ({ mongo, options: { company, ...options } }) => {
      const email = needed(options.email, '--email');
      if (!z.email().safeParse(email).success)
        throw new UsageError(`"${email}" is not an email address`);
      return createAccounts(mongo.db).create({
        email,
        name: needed(options.name, '--name'),
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
      'refuse its requests at once and its mail within 30 seconds, for the time being (450 4.7.1); accepted mail is still delivered',
    run: async ({ mongo, words: [id] }) =>
      done(
        await createAccounts(mongo.db).suspend(needed(id, 'ACCOUNT_ID'), new Date()),
        'account',
        { id, suspended: true },
      ),
  },
  'account resume': {
    usage: 'ACCOUNT_ID',
    about: 'end a suspension',
    run: async ({ mongo, words: [id] }) =>
      done(await createAccounts(mongo.db).resume(needed(id, 'ACCOUNT_ID')), 'account', {
        id,
        suspended: false,
      }),
  },
  'token create': {
    usage: '--account ACCOUNT_ID --name NAME [--environment live|test] [--permissions one,other]',
    about: 'make an API token and print it, once; all permissions unless told',
    options: ['account', 'name', 'environment', 'permissions'],
    run: async ({ mongo, options }) => {
      const accountId = await existingAccount(mongo, options.account);
      const name = needed(options.name, '--name');
      if (Array.from(name).length > TOKEN_NAME_MAX_CHARS)
        throw new UsageError(`a name has ${TOKEN_NAME_MAX_CHARS} characters at most`);
      const environment = Environment.safeParse(options.environment ?? 'live').data;
      if (environment === undefined) throw new UsageError('--environment is live or test');
      const permissions = z
        .array(Permission)
        .safeParse((options.permissions ?? PERMISSIONS.join(',')).split(',')).data;
      if (permissions === undefined)
        throw new UsageError(`--permissions are some of ${PERMISSIONS.join(', ')}`);
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
    about: 'take an API token out of use at once',
    options: ['account'],
    run: async ({ mongo, options, words: [id] }) =>
      done(
        await createTokens(mongo.db).revoke(
          await existingAccount(mongo, options.account),
          needed(id, 'TOKEN_ID'),
        ),
        'token of this account',
        { id, deleted: true },
      ),
  },
  'plan set': {
    usage: 'ACCOUNT_ID PLAN',
    about: 'put an account on a plan of the catalogue (PLANS)',
    run: async ({ mongo, env, words: [id, plan] }) => {
      const { plans } = await readPlans(readConfig(z.object(PlanConfig), env));
      if (!Object.hasOwn(plans, needed(plan, 'PLAN')))
        throw new UsageError(`PLAN is one of ${Object.keys(plans).join(', ')}`);
      return done(
        await createAccounts(mongo.db).setPlan(needed(id, 'ACCOUNT_ID'), needed(plan, 'PLAN')),
        'account',
        { id, plan },
      );
    },
  },
  'invoice mark-paid': {
    usage: 'INVOICE_ID',
    about: 'note that an open invoice was paid',
    run: settle('paid'),
  },
  'invoice void': { usage: 'INVOICE_ID', about: 'void an open invoice', run: settle('void') },
  'domain owner': {
    usage: 'DOMAIN',
    about:
      'list who has verified a domain, one that it lies within or one within it: what keeps others from verifying it',
    run: async ({ mongo, words: [name] }) =>
      (await createDomains(mongo.client, mongo.db).conflicting(domainNamed(name))).map(
        ({ token: _token, ...record }) => record,
      ),
  },
  'domain release': {
    usage: 'DOMAIN',
    about:
      'take a verified domain from its account, with its addresses, so that its new owner can verify it; gateways follow within 30 seconds',
    run: async ({ mongo, words: [name] }) => {
      const {
        record: { domain, account_id, environment },
        addresses,
      } = found(
        await createDomains(mongo.client, mongo.db).release(domainNamed(name), new Date()),
        'verified domain',
      );
      return { domain, account_id, environment, addresses_deleted: addresses };
    },
  },
  'secrets reencrypt': {
    usage: '',
    about: 'seal every webhook secret anew under the first of SECRET_KEYS',
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

Works on MONGODB_URI; secrets reencrypt needs SECRET_KEYS too, plan set reads PLANS. Answers are JSON.`;

/** The exit code: 0 done, 1 failed, 2 not understood. */
export async function runAdmin(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { print, complain }: Output,
): Promise<number> {
  if (args.length === 0 || args.includes('--help') || args.includes('-h')) {
    print(HELP);
    return args.length === 0 ? 2 : 0;
  }
  const name = args.slice(0, 2).join(' ');
  const command = COMMANDS[name];
  if (command === undefined) {
    complain(`There is no command "${name}". See --help`);
    return 2;
  }
  try {
    const given = wordsOf(command, args.slice(2));
    const { MONGODB_URI } = readConfig(z.object(MongoConfig), env);
    await using mongo = await connectMongo(MONGODB_URI, createLog('silent'));
    await ensureIndexes(mongo.db, [
      accountIndexes,
      addressIndexes,
      domainIndexes,
      tokenIndexes,
      usageEventIndexes,
    ]);
    print(JSON.stringify(await command.run({ mongo, env, ...given }), undefined, 2));
    return 0;
  } catch (error) {
    if (error instanceof UsageError)
      complain(`${error.message}\nusage: npm run admin -- ${name} ${command.usage}`);
    else complain(error instanceof ConfigError ? error.message : causeChain(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

function settle(status: 'paid' | 'void'): Command['run'] {
  return async function settleInvoice({ mongo, words: [id] }) {
    return done(
      await createInvoices(mongo.db).settle(needed(id, 'INVOICE_ID'), status, new Date()),
      'open invoice',
      { id, status },
    );
  };
}

function wordsOf(
  { options = [] }: Command,
  args: readonly string[],
): Pick<Given, 'words' | 'options'> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: Object.fromEntries(options.map((option) => [option, { type: 'string' as const }])),
    });
    return { words: positionals, options: values };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function needed(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new UsageError(`${what} is missing`);
  return value;
}

/** As it is stored, however it was typed. */
function domainNamed(text: string | undefined): string {
  const checked = checkDomain(needed(text, 'DOMAIN'));
  if ('fault' in checked) throw new UsageError(`"${text}" is not a domain`);
  return checked.domain;
}

async function existingAccount(mongo: Mongo, id: string | undefined): Promise<string> {
  const account = await createAccounts(mongo.db).find(needed(id, '--account'));
  if (account === undefined) throw new Error(`there is no account ${id}`);
  return account.id;
}

function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`there is no such ${what}`);
  return value;
}

function done<T>(isDone: boolean, what: string, answer: T): T {
  if (!isDone) throw new Error(`there is no such ${what}`);
  return answer;
}
