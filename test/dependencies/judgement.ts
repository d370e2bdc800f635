/**
 * Which packages of a lock file are behind, and for how long: facts in, findings out. main.ts asks
 * npm for the facts.
 */

/** Of package-lock.json, as far as it is used. */
export type LockFile = {
  packages: Record<
    string,
    { version?: string; name?: string; dev?: boolean; link?: boolean } | undefined
  >;
};

export type Locked = { name: string; version: string; location: string; isForRuntime: boolean };

/** Nested packages are packages like others. */
export const lockedPackages = ({ packages }: LockFile): Locked[] =>
  Object.entries(packages).flatMap(([location, found]) => {
    const at = location.lastIndexOf('node_modules/');
    if (at < 0 || found?.version === undefined || found.link === true) return [];
    const { version, name = location.slice(at + 'node_modules/'.length), dev = false } = found;
    return [{ name, version, location, isForRuntime: !dev }];
  });

/** What a registry knows of a package: its versions, with the time of each if it tells. */
export type Releases = { versions: readonly string[]; time?: Readonly<Record<string, string>> };

export type Behind = Locked & {
  latest: string;
  /** The newest release of the same major version; undefined when that is the locked one. */
  update?: string;
  /** Since when there has been an update; undefined when the registry does not tell. */
  since?: Date;
};

/** Packages with a newer release. @param latest newest version by name */
export const behind = (locked: readonly Locked[], latest: ReadonlyMap<string, string>): Behind[] =>
  locked.flatMap((one) => {
    const newest = latest.get(one.name);
    return newest !== undefined && isNewer(newest, one.version) ? [{ ...one, latest: newest }] : [];
  });

/** The updates that need no change of ours: patch and minor releases up to the latest one. */
export function withUpdate(one: Behind, { versions, time = {} }: Releases): Behind {
  const updates = versions
    .filter((version) => majorOf(version) === majorOf(one.version))
    .filter((version) => isNewer(version, one.version) && !isNewer(version, one.latest))
    .toSorted((a, b) => (isNewer(a, b) ? 1 : -1));
  const update = updates.at(-1);
  if (update === undefined) return one;
  const times = updates.map((version) => Date.parse(time[version] ?? ''));
  const first = Math.min(...times); // NaN if one is unknown
  return { ...one, update, ...(!Number.isNaN(first) && { since: new Date(first) }) };
}

export const DAYS_ALLOWED = 14;
const DAY_MS = 86_400_000;

export const daysBehind = ({ since }: Behind, now: Date): number =>
  since === undefined ? Infinity : Math.floor((now.getTime() - since.getTime()) / DAY_MS);

/** Of what runs in production, and without a reason in docs/project/dependencies.md. */
export const isLate = (one: Behind, excused: Excused, now: Date): boolean =>
  one.isForRuntime &&
  one.update !== undefined &&
  daysBehind(one, now) > DAYS_ALLOWED &&
  !excused.has(`${one.name}@${one.version}`);

export type Excused = ReadonlySet<string>;

/** Rows of the table of exceptions: | `name` | `version` | reason |. An update ends an exception. */
export function exceptionsOf(page: string): Excused {
  const section = /^## Exceptions$([^]*?)(?=^## |(?![^]))/m.exec(page)?.[1] ?? '';
  const rows = section.matchAll(/^\| `([^`]+)` \| `([^`]+)` \| [^|]*\w[^|]* \|$/gm);
  return new Set([...rows].map(([, name, version]) => `${name}@${version}`));
}

const PLAIN = /^(\d+)\.(\d+)\.(\d+)$/;
const majorOf = (version: string) => PLAIN.exec(version)?.[1];

/** Of two releases. A version with a suffix, such as 2.0.0-rc.1, is no release. */
function isNewer(version: string, than: string): boolean {
  const [one, other] = [PLAIN.exec(version), /^(\d+)\.(\d+)\.(\d+)/.exec(than)];
  if (one === null || other === null) return false;
  for (const at of [1, 2, 3]) {
    const difference = Number(one[at]) - Number(other[at]);
    if (difference !== 0) return difference > 0;
  }
  return than !== other[0]; // the release of what was locked as a preview
}
