/** `kubectl inlet doctor`: the first look at an incident. */
import type { Cli } from '../../api/cli.ts';
import { findingLine } from '../../doctor/finding-line.ts';
import { Failure } from '../../terminal/failure.ts';
import { printable, table } from '../../terminal/text.ts';
import type { Installation } from '../cluster/installation.ts';
import type { Kubectl } from '../cluster/kubectl.ts';
import { type Diagnosis, diagnose } from './diagnosis.ts';
import { gatherFacts } from './gather.ts';

type InstallationAccess = { kubectl: Kubectl; installation: Installation };

export function addDoctor(cli: Cli, access: () => Promise<InstallationAccess>): void {
  cli.program
    .command('doctor')
    .description('look for the causes of an incident, and name the three most likely ones')
    .addHelpText(
      'after',
      '\nIt reads pods, nodes, volumes, certificates, logs and metrics, and looks up the MX records\n' +
        'from the pods. It changes nothing, takes about ten seconds, and exits with 1 when something\n' +
        'does not work.',
    )
    .action(async () => {
      const { kubectl, installation } = await access();
      const diagnosis = diagnose(await gatherFacts(kubectl, installation));
      cli.print(diagnosis, (shown) => diagnosisText(cli, shown));
      const count = diagnosis.findings.filter(({ result }) => result === 'failed').length;
      if (count > 0) throw new Failure(`${count} checks failed, see above`);
    });
}

function diagnosisText(cli: Cli, { findings, causes, errors, warnings }: Diagnosis): string {
  const paint = cli.paint();
  const parts = [
    findings.map((one) => findingLine(one, paint)).join(''),
    errors.length === 0
      ? 'no warnings or errors in the logs of the last hour\n'
      : `${paint.bold('Log of the last hour')}\n` +
        table(errors, [
          { title: 'COMPONENT', of: ({ component }) => component },
          { title: 'EVENT', of: ({ event }) => event },
          { title: 'COUNT', of: ({ count }) => String(count) },
          { title: 'LAST', of: ({ last }) => last.slice(11, 19) },
          { title: 'ERROR', of: ({ error }) => error, most: 80 },
        ]),
    ...(warnings.length === 0
      ? []
      : [
          `${paint.bold('Warnings of Kubernetes')}\n` +
            warnings
              .map(({ object, reason, message }) => printable(`${object}: ${reason} ${message}`))
              .map((line) => `${line}\n`)
              .join(''),
        ]),
    causes.length === 0
      ? paint.green('no cause was found\n')
      : `${paint.bold('Most likely causes')}\n` +
        causes
          .map(({ page, signs }, i) => `${i + 1}. ${printable(signs.join('; '))}\n   → ${page}\n`)
          .join(''),
  ];
  return parts.join('\n');
}
