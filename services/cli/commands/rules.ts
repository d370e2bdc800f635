/** `inlet rules …`: what happens to email before it is stored, tried on real emails. */
import type {
  Address,
  RulesTest,
  TestRulesRequest,
  UpdateAddressRequest,
} from '../../core/api/api-types.generated.ts';
import type { Call } from '../../core/api/calls.ts';
import { agentRules, withPreset } from '../../core/api/rule-presets.ts';
import type { Cli } from '../api/cli.ts';
import { usageFault } from '../terminal/failure.ts';
import { bytesIn, jsonIn } from '../resource/input-files.ts';
import { table } from '../terminal/text.ts';

type Rules = Address['rules'];
type AskedRules = NonNullable<UpdateAddressRequest['rules']>;
type OfAddress = { address?: string };
type TestOptions = OfAddress & { event?: string; rules?: string; accountRules?: string };

const OF_ADDRESS = ['--address <address>', 'of this address; default: of the account'] as const;

const rulesOf = async (call: Call, { address }: OfAddress): Promise<Rules> =>
  address === undefined
    ? (await call('GET /account', {})).settings.rules
    : (await call('GET /addresses/{address_id}', { params: { address_id: address } })).rules;

async function setRules(call: Call, { address }: OfAddress, rules: AskedRules): Promise<Rules> {
  if (address === undefined)
    return (await call('PATCH /account', { body: { settings: { rules } } })).settings.rules;
  const params = { address_id: address };
  return (await call('PATCH /addresses/{address_id}', { params, body: { rules } })).rules;
}

export function addRuleCommands(cli: Cli): void {
  const rules = cli.program
    .command('rules')
    .description('rules that refuse, drop, hold or tag email');

  rules
    .command('list')
    .description('list the rules in their order; with --json in the form that `set` reads')
    .option(...OF_ADDRESS)
    .action(async (options: OfAddress) => {
      const { api } = await cli.connect();
      cli.print(await rulesOf(api.call, options), rulesText);
    });

  rules
    .command('set <file>')
    .description('replace all rules by those of a JSON file; - reads standard input')
    .option(...OF_ADDRESS)
    .action(async (file: string, options: OfAddress) => {
      const wanted = await jsonIn<AskedRules>(cli, file);
      const { api } = await cli.connect();
      cli.print(await setRules(api.call, options, wanted), rulesText);
    });

  rules
    .command('preset <preset>')
    .description('add the rules of a preset: agents')
    .requiredOption('--list <name>', 'name of the list of senders who get through')
    .option(...OF_ADDRESS)
    .addHelpText(
      'after',
      '\nagents: for an address that a program reads, such as a language model. It holds email whose\n' +
        'sender is not proven or not on the list, and email with text that a person does not see.\n' +
        '\nExample:\n  inlet rules preset agents --list partners --address addr_…\n',
    )
    .action(async (preset: string, { list, ...options }: OfAddress & { list: string }) => {
      if (preset !== 'agents') throw usageFault(`there is no preset ${preset}: use agents`);
      const { api } = await cli.connect();
      const { data } = await api.call('GET /lists', {});
      // a rule that names a list that does not exist does nothing
      if (!data.some(({ name }) => name === list)) throw usageFault(`there is no list ${list}`);
      const wanted = withPreset<AskedRules[number]>(
        (await rulesOf(api.call, options)).map(askedOf),
        agentRules(list),
      );
      cli.print(await setRules(api.call, options, wanted), rulesText);
    });

  rules
    .command('test [file]')
    .description('try rules on a file with an email, or on a stored one; nothing is changed')
    .option('--event <event-id>', 'the email of this delivery instead of a file')
    .option('--address <address>', 'with the present rules of this address')
    .option('--rules <file>', "these rules of a JSON file instead of the address's")
    .option('--account-rules <file>', "these rules of a JSON file instead of the account's")
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  inlet rules test received.eml --address addr_…\n' +
        '  inlet rules test --event evt_… --rules new-rules.json\n',
    )
    .action(
      cli.printing(
        async (call, file: string | undefined, options: TestOptions) => {
          const { event, address, rules: own, accountRules } = options;
          if ((file === undefined) === (event === undefined))
            throw usageFault('give a file with an email, or --event');
          const body: TestRulesRequest = {
            ...(file === undefined
              ? { event_id: event }
              : { email_base64: (await bytesIn(cli, file)).toString('base64') }),
            ...(address !== undefined && { address_id: address }),
            ...(await rulesIn(cli, own, accountRules)),
          };
          return call('POST /rules/test', { body });
        },
        testText,
        true,
      ),
    );
}

/** Only the action tag has tags. */
const askedOf = ({ name, when, action, tags = [] }: Rules[number]): AskedRules[number] =>
  action === 'tag' ? { name, when, action, tags } : { name, when, action };

/** The rules of these files, as requests have them. */
const rulesIn = async (cli: Cli, own: string | undefined, ofAccount: string | undefined) => ({
  ...(own !== undefined && { rules: await jsonIn<AskedRules>(cli, own) }),
  ...(ofAccount !== undefined && { account_rules: await jsonIn<AskedRules>(cli, ofAccount) }),
});

const rulesText = (rules: Rules): string =>
  rules.length === 0
    ? 'no rules\n'
    : table(rules, [
        { title: 'NAME', of: ({ name }) => name },
        { title: 'ACTION', of: ({ action, tags }) => [action, ...(tags ?? [])].join(' ') },
        { title: 'WHEN', of: ({ when }) => when, most: 80 },
      ]);

const testText = ({ action, tags, rules, facts, warnings }: RulesTest): string =>
  [
    `action: ${action}\n`,
    ...(tags.length > 0 ? [`tags: ${tags.join(' ')}\n`] : []),
    ...(rules.length === 0
      ? ['no rules\n']
      : [
          table(rules, [
            { title: 'RULE', of: ({ name }) => name },
            { title: 'OF', of: ({ scope }) => scope },
            { title: 'ACTION', of: (rule) => rule.action },
            { title: 'RESULT', of: ({ result }) => result.replace('_', ' ') },
            { title: 'ERROR', of: ({ error }) => error ?? '-', most: 60 },
          ]),
        ]),
    ...facts.map(({ name, value }) => `${name} = ${JSON.stringify(value)}\n`),
    ...warnings.map((warning) => `note: ${warning}\n`),
  ].join('');
