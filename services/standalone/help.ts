/** The text of `npm start -- --help`. */
import { StandaloneConfig } from './settings/config.ts';

const WIDTH = 96;
const NAME_WIDTH = 18;

export const helpText = (): string => `npm start

Runs all of Inlet on this machine: nats-server, MongoDB, the gateway, the dispatcher, the API and a
demo receiver. The first start sends an email to itself. Prints how to use it. Ctrl-C stops everything.

  npm start -- --demo    adds addresses, receivers and forty emails in every state, for a look
  npm start -- --production    without demo receiver, sample email and test domains, and with logs in
      the output: what the container runs (docs/one-container.md)

Settings, in the environment:

${Object.entries(StandaloneConfig.shape)
  .map(([name, setting]) => settingText(name, setting.description ?? '', defaultOf(setting)))
  .join('\n')}

Every setting of the services works, too (docs/settings.md), with the exceptions in
docs/local-development.md. Yours replaces the value of npm start. WEBHOOK_CA_FILE,
WEBHOOK_ALLOWED_NETWORKS, SECRET_KEYS, LINK_KEYS and REPLY_KEYS are added to those of npm start.

Examples:
  SMTP_PORT=0 API_PORT=0 npm start
  RETRY_SCHEDULE=1s,2s,3s npm start

While it runs: npm exec inlet -- --help
`;

function settingText(name: string, description: string, fallback: string | undefined): string {
  const text = fallback === undefined ? description : `${description} (default ${fallback})`;
  const indent = ' '.repeat(NAME_WIDTH + 2);
  return `  ${name.padEnd(NAME_WIDTH)}${wrapped(text, WIDTH - indent.length).join(`\n${indent}`)}`;
}

function defaultOf(setting: { safeParse(value: undefined): { data?: unknown } }) {
  const { data } = setting.safeParse(undefined);
  return data === undefined ? undefined : String(data);
}

function wrapped(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}
