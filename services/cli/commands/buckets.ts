/** `inlet buckets …`: buckets of your own, for raw emails and attachments. */
import { Option } from 'commander';

import type {
  CreateBucketRequest,
  UpdateBucketRequest,
} from '../../core/api/api-types.generated.ts';
import type { Cli } from '../cli.ts';
import { jsonIn } from '../input-files.ts';
import { table } from '../screen/text.ts';

const ALL = '/account/buckets';
const ONE = '/account/buckets/{bucket_id}';
const one = (bucket_id: string) => ({ params: { bucket_id } });

type Place = Partial<
  Pick<CreateBucketRequest, 'bucket' | 'region' | 'prefix' | 'addressing' | 'endpoint'>
>;
type CreateOptions = Place & { endpoint: string; bucket: string; credentialsFile: string };
type UpdateOptions = Place & { credentialsFile?: string };

/** A file, so that no secret is on the command line, where every user of the machine reads it. */
const CREDENTIALS = [
  '--credentials-file <file>',
  'JSON with access_key_id and secret_access_key; - is standard input',
] as const;
const addressing = (description: string) =>
  new Option('--addressing <style>', description).choices(['path', 'host']);

export function addBucketCommands(cli: Cli): void {
  const buckets = cli.program
    .command('buckets')
    .description('buckets of your own, for raw emails and attachments');

  buckets
    .command('list')
    .description('list the buckets by name')
    .action(
      cli.printing(
        (call) => call(`GET ${ALL}`, {}),
        ({ data }) =>
          table(data, [
            { title: 'ID', of: ({ id }) => id },
            { title: 'NAME', of: ({ name }) => name },
            { title: 'ENDPOINT', of: ({ endpoint }) => endpoint, most: 60 },
            { title: 'BUCKET', of: ({ bucket }) => bucket },
            { title: 'PREFIX', of: ({ prefix }) => prefix || '-' },
          ]),
      ),
    );

  buckets
    .command('create <name>')
    .description('add a bucket with an S3 API; addresses and receivers name it')
    .requiredOption('--endpoint <url>', 'HTTPS URL of the S3 API, without a path')
    .requiredOption('--bucket <name>', 'its name at the provider')
    .option('--region <region>', 'region that is signed; default: us-east-1')
    .option('--prefix <prefix>', 'begins each key, such as inlet/')
    .addOption(addressing('where a URL names the bucket; default: path'))
    .requiredOption(...CREDENTIALS)
    .action(
      cli.printing(async (call, name: string, { credentialsFile, ...place }: CreateOptions) => {
        const credentials = await jsonIn<CreateBucketRequest['credentials']>(cli, credentialsFile);
        return call(`POST ${ALL}`, { body: { name, ...place, credentials } });
      }),
    );

  buckets
    .command('show <bucket-id>')
    .description('show a bucket')
    .action(cli.printing((call, id: string) => call(`GET ${ONE}`, one(id))));

  buckets
    .command('update <bucket-id>')
    .description('change a bucket; files that are stored stay where they are')
    .option('--endpoint <url>', 'HTTPS URL of the S3 API, without a path')
    .option('--bucket <name>', 'its name at the provider')
    .option('--region <region>', 'region that is signed')
    .option('--prefix <prefix>', 'begins each key, such as inlet/')
    .addOption(addressing('where a URL names the bucket'))
    .option(...CREDENTIALS)
    .action(
      cli.printing(async (call, id: string, { credentialsFile, ...place }: UpdateOptions) => {
        const body: UpdateBucketRequest = {
          ...place,
          ...(credentialsFile !== undefined && {
            credentials: await jsonIn<CreateBucketRequest['credentials']>(cli, credentialsFile),
          }),
        };
        return call(`PATCH ${ONE}`, { ...one(id), body });
      }),
    );

  buckets
    .command('test <bucket-id>')
    .description('store a small file in the bucket and remove it again')
    .action(cli.printing((call, id: string) => call(`POST ${ONE}/test`, one(id))));

  buckets
    .command('delete <bucket-id>')
    .description('remove a bucket from Inlet; its files stay')
    .action(cli.printing((call, id: string) => call(`DELETE ${ONE}`, one(id))));
}
