/** `inlet admin backup` and `inlet admin restore` (docs/backup-and-restore.md). */
import type { Command } from 'commander';

import { countIn } from '../terminal/arguments.ts';
import { usageFault } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type Act, printJson } from './act.ts';
import type { BackupOptions } from './backup.ts';
import type { Database } from './database.ts';
import type { RestoreOptions } from './restore.ts';

const backups = () => import('./backup.ts');
const bucket = () => import('./backup-bucket.ts');
const restores = () => import('./restore.ts');

type BackupCommandOptions = BackupOptions & {
  verify?: string;
  unsigned?: boolean;
  toBucket?: boolean;
  keep: number;
  list?: boolean;
};

/** @param open the database, within --timeout */
export function addBackupCommands(
  admin: Command,
  terminal: Terminal,
  { act, open }: { act: Act; open: () => Promise<Database> },
): void {
  const withoutMail = '--without-mail';
  const unsigned = '--unsigned';
  admin
    .command('backup')
    .description(
      'write the database and the streams of NATS to standard output, compressed; what they hold ' +
        'goes to standard error',
    )
    .option(withoutMail, 'leave out the streams: emails that wait, and those kept for replay')
    .option(
      '--only-mail',
      'leave out the database: the streams move to other servers of NATS, while no service runs',
    )
    .option(
      '--verify <file>',
      'instead, read a file as a restore would, which needs only SECRET_KEYS',
    )
    .option(unsigned, 'with --verify: also a file of version 0.1.0')
    .option('--to-bucket', 'store it in a bucket (BACKUP_BUCKET), encrypted')
    .option('--keep <number>', 'with --to-bucket: the newest backups that stay there', countIn, 14)
    .option('--list', 'instead, list the backups in the bucket, oldest first')
    .action(async (options: BackupCommandOptions) => {
      if (options.verify !== undefined) {
        const { verifyBackup } = await backups();
        const found = await verifyBackup(terminal, options.verify, options.unsigned ?? false);
        return printJson(terminal, found);
      }
      const { list = false, toBucket = false } = options;
      if (list) return printJson(terminal, await (await bucket()).listBackups(terminal));
      if (toBucket && options.onlyMail)
        throw usageFault(
          '--only-mail writes to standard output: a backup in the bucket is a whole one',
        );
      if (toBucket)
        return act(async () => {
          const { storeBackup } = await bucket();
          return (database) => storeBackup(database, options);
        })();
      await using database = await open();
      const contents = await (await backups()).backUp(database, terminal, options);
      terminal.complain(`${JSON.stringify(contents)}\n`);
    });
  admin
    .command('restore')
    .description(
      'read a backup from standard input into an empty installation in which no service runs ' +
        '(maintenance of the chart)',
    )
    .option(withoutMail, 'leave out the streams')
    .option('--replace', 'replace everything that Inlet has stored, when the backup has been read')
    .option('--undo', 'instead, bring back what a restore that was killed has replaced')
    .option(
      '--from-bucket <name>',
      'read this backup of the bucket (see backup --list), or latest, instead of standard input',
    )
    .option(
      '--drill',
      'only try it: restore the documents under other names, count them and remove them; services may run',
    )
    .option(
      '--accept-lost-keys',
      'accept a backup of a bucket that has lost the keys of accounts: nothing can read their encrypted emails',
    )
    .option(unsigned, 'accept a file of version 0.1.0, which nobody can prove to be unchanged')
    .option(
      '--move-namespace <former=new>',
      'records of Kubernetes resources in this namespace become those of another one; repeatable',
      (pair: string, pairs: string[]) => [...pairs, pair],
      [] as string[],
    )
    .action(
      act(async () => {
        const { restore } = await restores();
        return (database, options: RestoreOptions) => restore(database, terminal, options);
      }),
    );
}
