/**
 * The lowest versions of NATS and MongoDB without holes that strangers use (D298): CVE-2026-33215 to -33249,
 * CVE-2025-14847. A line without a mended release is not listed.
 */

/** One for each release line, the oldest line that Inlet works with first. */
export const LOWEST_MENDED = {
  nats: ['2.11.15', '2.12.6'],
  mongodb: ['6.0.27', '7.0.28', '8.0.17', '8.2.3'],
} as const;

export type ServerKind = keyof typeof LOWEST_MENDED;

/** As the docs write it: `2.11.15 or 2.12.6, or later`. */
export const lowestMendedText = (kind: ServerKind): string =>
  `${LOWEST_MENDED[kind].join(', ').replace(/, ([^,]*)$/, ' or $1')}, or later`;

/**
 * The lowest mended version that a server should be upgraded to: of its line, or of the next one.
 * Undefined for a server that is mended, of a newer line, or does not tell a version.
 */
export function mendedVersion(kind: ServerKind, version: string | undefined): string | undefined {
  const own = numbers(version ?? '');
  if (own.length < 3) return undefined;
  const isOfThisLine = (lowest: string) => compare(numbers(lowest).slice(0, 2), own) === 0;
  const lowest =
    LOWEST_MENDED[kind].find(isOfThisLine) ??
    LOWEST_MENDED[kind].find((one) => compare(numbers(one), own) > 0);
  return lowest !== undefined && compare(numbers(lowest), own) > 0 ? lowest : undefined;
}

/**
 * Whether all servers of a URL are on this machine and need no login, as those of `npm start`. Everyone
 * who reaches such a server may read it, so a hole in it reveals nothing more.
 */
export function isOpenOnLoopback(url: string): boolean {
  if (/@|[?&]authMechanism=/i.test(url)) return false;
  const hosts = url.split(',').map((one) => one.trim().replace(/^[a-z+]+:\/\/|[/?].*$/g, ''));
  return hosts.every((host) => /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(host));
}

/** Major, minor and patch; what follows them, such as `-rc1`, does not count. */
const numbers = (version: string): number[] =>
  (/^v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);

/** Compares as many numbers as the first one has. */
function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((number, i) => number !== other[i]);
  return at === -1 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}
