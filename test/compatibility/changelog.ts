/** The breaks that docs/CHANGELOG.md names. */
import type { Break } from './schema.ts';

/**
 * The lists below "### Breaking" of all versions above the one that was the baseline. The text names
 * each break by its subject, as code.
 */
export function namedBreaks(changelog: string, baselineVersion: string): Set<string> {
  const sections = changelog.split(/^## /m).slice(1);
  const older = sections.findIndex((section) => section.split(/\s/, 1)[0] === baselineVersion);
  const newer = older === -1 ? sections : sections.slice(0, older);
  const lists = newer.flatMap((section) =>
    section
      .split(/^### /m)
      .filter((part) => part.startsWith('Breaking\n'))
      .map((part) => part.replaceAll(/\s+/g, ' ')),
  );
  return new Set(
    lists.flatMap((list) => [...list.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)),
  );
}

/** The lines that a changelog lacks. Empty: it names everything. */
export const unnamed = (
  breaks: readonly Break[],
  changelog: string,
  baselineVersion: string,
): string[] => {
  const named = namedBreaks(changelog, baselineVersion);
  return breaks
    .filter(({ subject }) => !named.has(subject))
    .map(({ subject, what }) => `\`${subject}\` ${what}`);
};
