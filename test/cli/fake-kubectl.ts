/** `kubectl inlet` with a kubectl that gives scripted answers, and objects for these. */
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

import { runPlugin } from '../../services/cli/kubernetes/program.ts';
import { type CommandResult, terminalOf } from '../support/inlet-command.ts';
import { testDir } from '../support/servers.ts';

/** The first answer whose pattern matches the arguments. A text that begins with Error fails. */
export type Answers = [pattern: string, answer: unknown][];

export type FakeKubectl = AsyncDisposable & {
  /** Where the plugin runs. */
  folder: string;
  /** `calls` has the arguments of each kubectl, one a line. */
  plugin(
    args: readonly string[],
    answers: Answers,
    env?: NodeJS.ProcessEnv,
  ): Promise<CommandResult & { calls: string }>;
};

const FAKE = `#!/usr/bin/env node
const { readFileSync, appendFileSync } = require('node:fs');
const args = process.argv.slice(2).join(' ');
appendFileSync(__dirname + '/calls', args + '\\n');
const answers = JSON.parse(readFileSync(__dirname + '/answers.json', 'utf8'));
const [, answer = 'Error from server (NotFound): nothing for ' + args] =
  answers.find(([pattern]) => new RegExp(pattern).test(args)) ?? [];
if (typeof answer !== 'string') console.log(JSON.stringify(answer));
else if (/^(Error|Unable)/.test(answer)) { console.error(answer); process.exit(1); }
else process.stdout.write(answer);
`;

export async function fakeKubectl(): Promise<FakeKubectl> {
  const dir = await testDir();
  const folder = dir.path;
  await writeFile(join(folder, 'kubectl'), FAKE);
  await chmod(join(folder, 'kubectl'), 0o755);
  return {
    folder,
    plugin: async (args, answers, env = {}) => {
      await writeFile(join(folder, 'answers.json'), JSON.stringify(answers));
      await writeFile(join(folder, 'calls'), '');
      let [out, err] = ['', ''];
      const PATH = [folder, process.env.PATH].join(delimiter);
      const terminal = terminalOf({
        env: { PATH, ...env },
        cwd: folder,
        write: (text) => void (out += text),
        complain: (text) => void (err += text),
      });
      const code = await runPlugin(args, terminal, '0.0.0-test');
      return { code, out, err, calls: await readFile(join(folder, 'calls'), 'utf8') };
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

const labels = {
  'app.kubernetes.io/instance': 'mail',
  'app.kubernetes.io/version': '1.2.3',
};
export const metadata = (name: string, namespace = 'inlet') => ({ name, namespace, labels });
export const deployment = (name: string, namespace?: string, env: object[] = []) => ({
  kind: 'Deployment',
  metadata: metadata(name, namespace),
  spec: { replicas: 2, template: { spec: { containers: [{ image: 'inlet:1.2.3', env }] } } },
  status: { readyReplicas: 2 },
});
export const resource = (kind: string, name: string, ready: string, reason: string, more = {}) => ({
  kind,
  metadata: { name, namespace: 'shop' },
  spec: {},
  status: { conditions: [{ type: 'Ready', status: ready, reason, message: 'see there' }], ...more },
});
export const list = (...items: object[]) => ({ items });
