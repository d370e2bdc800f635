/** Options for how webhooks go to a receiver, of `inlet addresses` and `inlet receivers`. */
import { type Command, Option } from 'commander';

import type { CreateReceiverRequest } from '../../core/api/api-types.generated.ts';
import type { WebhookFormat } from '../../core/api/api-types.generated.ts';
import type { Cli } from '../api/cli.ts';
import { jsonIn } from './input-files.ts';

/** Written here, so that the package for npm has no schemas in it. */
const WEBHOOK_FORMATS = [
  'inlet',
  'cloudevents',
  'postmark',
  'sendgrid',
  'mailgun',
  'cloudmailin',
  'raw',
] as const satisfies readonly WebhookFormat[];

type Webhook = Pick<CreateReceiverRequest, 'mode' | 'format' | 'signing' | 'when' | 'auth'>;

export type WebhookOptions = Pick<CreateReceiverRequest, 'mode' | 'format' | 'signing'> & {
  /** false with --no-when */
  when?: string | false;
  authFile?: string;
  /** false with --no-auth */
  auth?: false;
};

export const addWebhookOptions = (command: Command): Command =>
  command
    .option(
      '--when <expression>',
      'send it only emails for which this is true: see the filters of the docs',
    )
    .addOption(
      new Option(
        '--mode <mode>',
        'pull: it asks for its emails instead, as inlet listen --pull does',
      ).choices(['push', 'pull']),
    )
    .addOption(
      new Option(
        '--format <format>',
        'what its webhooks are: of Inlet, as another service posts them, or the email itself',
      ).choices(WEBHOOK_FORMATS),
    )
    .addOption(
      new Option('--signing <method>', 'ed25519 for a public key instead of a secret').choices([
        'hmac',
        'ed25519',
      ]),
    )
    // a file, so that no secret is on the command line, where every user of the machine reads it
    .option(
      '--auth-file <file>',
      'JSON with headers, basic, oauth2 or client_certificate, by which Inlet authenticates to it',
    );

/** The other options, and what those of a webhook say. */
export async function withWebhook<T extends WebhookOptions>(
  cli: Cli,
  options: T,
): Promise<Omit<T, keyof WebhookOptions> & Webhook> {
  const {
    mode: _m,
    when: _w,
    format: _f,
    signing: _s,
    authFile: _file,
    auth: _a,
    ...others
  } = options;
  return { ...others, ...(await webhookOf(cli, options)) };
}

/** For a receiver that exists. */
export const addWebhookRemovals = (command: Command): Command =>
  command.option('--no-when', 'send it all emails').option('--no-auth', 'authenticate no longer');

/** What the options say. */
export async function webhookOf(
  cli: Cli,
  { mode, when, format, signing, authFile, auth }: WebhookOptions,
): Promise<Webhook> {
  return {
    ...(mode !== undefined && { mode }),
    ...(format !== undefined && { format }),
    ...(signing !== undefined && { signing }),
    ...(when !== undefined && { when: when === false ? null : when }),
    ...(auth === false && { auth: null }),
    ...(authFile !== undefined && {
      auth: await jsonIn<CreateReceiverRequest['auth']>(cli, authFile),
    }),
  };
}
