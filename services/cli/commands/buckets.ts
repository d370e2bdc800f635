/** `inlet buckets …`: buckets of your own, for raw emails and attachments. */
import { BUCKET_TEXTS } from '../../core/api/bucket-texts.ts';
import type { Cli } from '../api/cli.ts';
import { jsonIn } from '../resource/input-files.ts';
import { addResource } from '../resource/resource.ts';

export const addBucketCommands = (cli: Cli) =>
  addResource(cli, {
    path: '/account/buckets',
    name: 'buckets',
    about: 'buckets of your own, for raw emails and attachments',
    one: 'bucket',
    options: {
      name: { argument: '<name>' },
      endpoint: { flags: '--endpoint <url>', about: BUCKET_TEXTS.endpoint, isRequired: true },
      bucket: { flags: '--bucket <name>', about: BUCKET_TEXTS.bucket, isRequired: true },
      region: { flags: '--region <region>', about: BUCKET_TEXTS.region, initial: 'us-east-1' },
      prefix: { flags: '--prefix <prefix>', about: BUCKET_TEXTS.prefix },
      addressing: {
        flags: '--addressing <style>',
        about: BUCKET_TEXTS.addressing,
        initial: 'path',
        choices: ['path', 'host'],
      },
      description: { flags: '--description <text>', about: 'free text' },
      // a file, so that no secret is on the command line, where every user of the machine reads it
      credentials: {
        flags: '--credentials-file <file>',
        about: 'JSON with access_key_id and secret_access_key; - is standard input',
        isRequired: true,
        read: jsonIn,
      },
    },
    list: {
      about: 'list the buckets by name',
      columns: [
        { title: 'ID', of: ({ id }) => id },
        { title: 'NAME', of: ({ name }) => name },
        { title: 'ENDPOINT', of: ({ endpoint }) => endpoint, most: 60 },
        { title: 'BUCKET', of: ({ bucket }) => bucket },
        { title: 'PREFIX', of: ({ prefix }) => prefix || '-' },
      ],
    },
    create: { about: 'add a bucket with an S3 API; addresses and receivers name it' },
    show: { about: 'show a bucket' },
    update: { about: 'change a bucket; files that are stored stay where they are' },
    remove: { about: 'remove a bucket from Inlet; its files stay' },
    actions: { test: 'store a small file in the bucket and remove it again' },
  });
