/** Options for how webhooks go to a receiver, of `inlet addresses` and `inlet receivers`. */
import type { CreateReceiverRequest } from '../../core/api/api-types.generated.ts';
import { WEBHOOK_FORMATS } from '../../core/receiver/webhook-format-names.ts';
import type { Cli } from '../api/cli.ts';
import { jsonIn } from './input-files.ts';
import { addPayloadOptions, payloadOf } from './payload-options.ts';
import type { OptionsOf } from './options.ts';

type Webhook = Pick<
  CreateReceiverRequest,
  'payload' | 'when' | 'mode' | 'format' | 'signing' | 'auth'
>;

export const WEBHOOK_OPTIONS = {
  payload: { several: addPayloadOptions, value: payloadOf },
  when: {
    flags: '--when <expression>',
    about: 'send it only emails for which this is true: see the filters of the docs',
    no: { flags: '--no-when', about: 'send it all emails' },
  },
  mode: {
    flags: '--mode <mode>',
    about: 'pull: it asks for its emails instead, as inlet listen --pull does',
    choices: ['push', 'pull'],
  },
  format: {
    flags: '--format <format>',
    about: 'what its webhooks are: of Inlet, as another service posts them, or the email itself',
    choices: WEBHOOK_FORMATS,
  },
  signing: {
    flags: '--signing <method>',
    about: 'ed25519 for a public key instead of a secret',
    choices: ['hmac', 'ed25519'],
  },
  // a file, so that no secret is on the command line, where every user of the machine reads it
  auth: {
    flags: '--auth-file <file>',
    about:
      'JSON with headers, basic, oauth2 or client_certificate, by which Inlet authenticates to it',
    read: authIn,
    no: { flags: '--no-auth', about: 'authenticate no longer' },
  },
} satisfies OptionsOf<Webhook>;

type Auth = NonNullable<CreateReceiverRequest['auth']>;

/** Also of a file with the whole field, as examples of requests have it. */
async function authIn(cli: Cli, file: string): Promise<Auth> {
  const given = await jsonIn<Auth | { auth: Auth }>(cli, file);
  return given !== null && 'auth' in given ? given.auth : given;
}
