/**
 * The file of `inlet login`: profiles with the URL of an API and a token. Only its owner can read
 * it.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

import { Failure } from './failure.ts';

type Profile = {
  api_url: string;
  token: string;
  /** PEM file of private authorities. */
  ca_file?: string;
};
type Profiles = { current?: string; profiles: Record<string, Profile> };

export const profilesFile = ({ XDG_CONFIG_HOME, HOME }: NodeJS.ProcessEnv): string =>
  join(XDG_CONFIG_HOME || join(HOME || homedir(), '.config'), 'inlet', 'profiles.json');

/** None when the file does not exist. @throws Failure when it cannot be read */
export async function readProfiles(env: NodeJS.ProcessEnv): Promise<Profiles> {
  const file = profilesFile(env);
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Profiles;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} };
    throw new Failure(`cannot read ${file}`, undefined, { cause });
  }
}

/** Another process sees the whole former file or the whole new one. */
export async function writeProfiles(env: NodeJS.ProcessEnv, profiles: Profiles): Promise<void> {
  const file = profilesFile(env);
  const draft = `${file}.${process.pid}.tmp`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(draft, `${JSON.stringify(profiles, undefined, 2)}\n`, { mode: 0o600 });
    await rename(draft, file);
  } catch (cause) {
    await rm(draft, { force: true });
    throw new Failure(`cannot write ${file}`, undefined, { cause });
  }
}
