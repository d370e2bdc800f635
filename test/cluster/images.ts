/**
 * Global setup: images for a cluster that pulls none, once for all files that install the chart. The
 * services run from INLET_IMAGE, or from an image that the command IMAGE_BUILD builds. It takes a
 * name and a folder with a Dockerfile; the default is the command of the development cluster next to
 * this checkout, else `docker build`. With that cluster, or with SERVER_IMAGES=build, the images of
 * NATS and MongoDB that the chart names are built from the binaries that the other tests run.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { TestProject } from 'vitest/node';
import { parse } from 'yaml';

import { CHART } from '../support/charts.ts';

const run = promisify(execFile);
const CHECKOUT = join(import.meta.dirname, '..', '..');
const DEVELOPMENT_CLUSTER = join(CHECKOUT, '..', 'shared', 'cluster', 'image-build');
const REPOSITORY = 'ghcr.io/inlet-email/inlet';
const TAG = 'cluster-test';

declare module 'vitest' {
  export interface ProvidedContext {
    images: Images;
  }
}

export type Images = {
  repository: string;
  tag: string;
};

type ServerImage = { name: string; binary: keyof Binaries; packages: string };

type Binaries = Record<'natsServerBinary' | 'mongodBinary', string>;

export default async function setup(project: TestProject): Promise<void> {
  project.provide('images', await makeImages(project.getProvidedContext()));
}

async function makeImages(binaries: Binaries): Promise<Images> {
  const given = process.env.INLET_IMAGE;
  if (given !== undefined && given !== '') {
    const [, repository = '', tag = ''] = /^(.+):([^:/]+)$/.exec(given) ?? [];
    return { repository, tag };
  }
  await buildImage(`${REPOSITORY}:${TAG}`, CHECKOUT);
  if (process.env.SERVER_IMAGES === 'build' || usesDevelopmentCluster())
    for (const image of await serverImages()) await buildServer(image, binaries);
  return { repository: REPOSITORY, tag: TAG };
}

const usesDevelopmentCluster = () => !process.env.IMAGE_BUILD && existsSync(DEVELOPMENT_CLUSTER);

/** Builds an image for the cluster from a folder with a Dockerfile. */
export async function buildImage(name: string, folder: string): Promise<void> {
  const command =
    process.env.IMAGE_BUILD || (usesDevelopmentCluster() ? DEVELOPMENT_CLUSTER : 'docker build -t');
  await run('sh', ['-c', `${command} "$0" "$1"`, name, folder], { maxBuffer: 64 * 1024 * 1024 });
}

async function serverImages(): Promise<ServerImage[]> {
  const { nats, mongodb } = parse(await readFile(join(CHART, 'values.yaml'), 'utf8')) as Record<
    'nats' | 'mongodb',
    { image: { repository: string; tag: string } }
  >;
  return [
    {
      name: `${nats.image.repository}:${nats.image.tag}`,
      binary: 'natsServerBinary',
      packages: '',
    },
    {
      name: `${mongodb.image.repository}:${mongodb.image.tag}`,
      binary: 'mongodBinary',
      packages: 'libcurl4',
    },
  ];
}

async function buildServer(
  { name, binary, packages }: ServerImage,
  binaries: Binaries,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-image-'));
  try {
    await mkdir(join(folder, 'bin'));
    const program = binary === 'mongodBinary' ? 'mongod' : 'nats-server';
    await copyFile(binaries[binary], join(folder, 'bin', program));
    const install =
      packages &&
      `RUN apt-get update && apt-get install -y --no-install-recommends ${packages} && rm -rf /var/lib/apt/lists/*`;
    await writeFile(
      join(folder, 'Dockerfile'),
      `FROM debian:bookworm-slim\n${install}\nCOPY --chmod=755 bin/${program} /usr/local/bin/${program}\n`,
    );
    await buildImage(name, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
