/** A link that opens the dashboard in a browser, signed in. It works once, for five minutes. */
import { createApiClient } from './round-trip/api-client.ts';
import type { StandaloneState } from './state/state.ts';

/**
 * @param path of a screen on this machine, such as `/mail/evt_1`; absent for a link with PUBLIC_API_URL
 * @returns undefined when there is no dashboard
 */
export async function createDashboardLink(
  { api_url: apiUrl, token }: StandaloneState,
  path?: string,
): Promise<string | undefined> {
  const page = await fetch(new URL('/dashboard/', apiUrl));
  await page.body?.cancel();
  if (!page.ok) return undefined;
  const { status, body } = await createApiClient(apiUrl, token)(
    'POST',
    '/account/dashboard-links',
    {},
  );
  if (status !== 201) return undefined;
  const { url } = body as { url: string };
  if (path === undefined) return url;
  // PUBLIC_API_URL may be that of a tunnel, which this machine need not reach
  const { hash } = new URL(url);
  return new URL(`/dashboard${path}${hash}`, apiUrl).href;
}
