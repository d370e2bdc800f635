/**
 * The version and the commit that this dashboard was built from, which are those of its API. The page has
 * them and not the script, whose name would change with each commit.
 */
export const build = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="inlet-build"]')?.content ?? '';
