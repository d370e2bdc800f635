/**
 * Where the version of Inlet stands. Packages, charts, examples and pages name it, and a release is
 * refused when one of them differs.
 */

type Form = 'semver' | 'pep440';
type VersionPlace = {
  file: string;
  /** Finds the version: what is before it, and itself. */
  pattern: RegExp;
  /** Python writes 1.0.0rc1 for 1.0.0-rc.1. */
  form?: Form;
};
/** File names from the root of the checkout, and their texts. */
type Files = ReadonlyMap<string, string>;

const json = (file: string): VersionPlace => ({ file, pattern: /^( {2}"version": ")([^"]+)/gm });

const PLACES: readonly VersionPlace[] = [
  json('package.json'),
  json('services/cli/package.json'),
  json('services/clients/typescript/package.json'),
  { file: 'package-lock.json', pattern: /("name": "inlet",\s+"version": ")([^"]+)/g },
  { file: 'services/core/version.ts', pattern: /(VERSION = ')([^']+)/g },
  {
    file: 'services/clients/typescript/src/operations.generated.ts',
    pattern: /(VERSION = ')([^']+)/g,
  },
  {
    file: 'services/clients/python/pyproject.toml',
    pattern: /^(version = ")([^"]+)/gm,
    form: 'pep440',
  },
  { file: 'services/clients/python/src/inlet_client/types.py', pattern: /^(VERSION = ")([^"]+)/gm },
  { file: 'charts/inlet-crds/Chart.yaml', pattern: /^((?:version|appVersion): )(\S+)/gm },
  {
    file: 'charts/inlet/Chart.yaml',
    pattern: /^((?:version|appVersion): | +image: .*\/inlet:)(\S+)/gm,
  },
  { file: 'charts/inlet/examples/gitops-argocd.yaml', pattern: /(targetRevision: v)(\S+)/g },
  { file: 'charts/inlet/examples/gitops-flux.yaml', pattern: /(tag: v)([^\s}]+)/g },
  { file: 'docs/install.md', pattern: /(\/inlet:|--build-arg VERSION=)(\d[^\s`"]*)/g },
  { file: 'README.md', pattern: /(^Version |\/inlet:)(\d[^\s:]*)/gm },
  { file: 'docs/why-inlet.md', pattern: /^(Version )(\d[^\s]*?)(?=\. )/gm },
];
export const VERSION_FILES: readonly string[] = [
  ...PLACES.map(({ file }) => file),
  'docs/CHANGELOG.md',
];

const SEMVER = /^\d+\.\d+\.\d+(?:-rc\.\d+)?$/;

/** @throws Error when this is not a version such as 1.0.0 or 1.0.0-rc.1 */
function checkVersion(version: string): string {
  if (!SEMVER.test(version))
    throw new Error(`${version} is not a version: write 1.2.3, or 1.2.3-rc.1 for a candidate`);
  return version;
}

const written = (version: string, form: Form = 'semver'): string =>
  form === 'pep440' ? version.replace('-rc.', 'rc') : version;

/**
 * The files that change. What the changelog has under `Unreleased` becomes that of this version.
 * @param date of the release, such as 2027-01-31
 * @throws Error naming a file that has no version where one should be
 */
export function withVersion(files: Files, version: string, date: string): Map<string, string> {
  checkVersion(version);
  const changed = new Map<string, string>();
  for (const { file, pattern, form } of PLACES) {
    const text = textOf(files, file);
    if (text.search(pattern) < 0) throw new Error(`${file}: no version was found`);
    changed.set(
      file,
      text.replace(pattern, (_, before: string) => before + written(version, form)),
    );
  }
  const log = textOf(files, 'docs/CHANGELOG.md');
  if (!hasHeading(log, version))
    changed.set(
      'docs/CHANGELOG.md',
      log.replace(/^## Unreleased$/m, `## Unreleased\n\n## ${version} (${date})`),
    );
  return new Map([...changed].filter(([file, text]) => text !== files.get(file)));
}

/** Places that name another version, such as `README.md: 1.2.3`. Empty when a release may begin. */
export function differingPlaces(files: Files, version: string): string[] {
  checkVersion(version);
  const differing = PLACES.flatMap(({ file, pattern, form }) => {
    const found = [...textOf(files, file).matchAll(pattern)].map(([, , has]) => has);
    const wrong = found.filter((has) => has !== written(version, form));
    return found.length === 0 ? [`${file}: none`] : wrong.map((has) => `${file}: ${has}`);
  });
  const isLogged = hasHeading(textOf(files, 'docs/CHANGELOG.md'), version);
  return [...differing, ...(isLogged ? [] : [`docs/CHANGELOG.md: no heading ${version}`])];
}

const hasHeading = (log: string, version: string): boolean =>
  log.split('\n').some((line) => line === `## ${version}` || line.startsWith(`## ${version} `));

function textOf(files: Files, file: string): string {
  const text = files.get(file);
  if (text === undefined) throw new Error(`${file} is missing`);
  return text;
}
