/** Asks the DNS host of a domain whether it sets the records of Inlet (Domain Connect 2.3, §4). */
import {
  DnsHost,
  SETTINGS_MAX_BYTES,
  settingsUrl,
  templateUrl,
  zonesOf,
} from '../../core/domain/domain-connect.ts';
import type { Dns } from '../dns/resolver.ts';
import type { CheckedHttp } from '../http/checked-http.ts';
import { textWithin } from '../http/text-within.ts';

type FoundHost = { host: DnsHost & { urlSyncUX: string }; zone: string };

/** Undefined when no DNS host says that it can, also when it does not answer. */
export type DiscoverHost = (domain: string, provider: string) => Promise<FoundHost | undefined>;

export const createDiscoverHost = ({
  dns,
  http,
}: {
  dns: Pick<Dns, 'find'>;
  http: Pick<CheckedHttp, 'get'>;
}): DiscoverHost =>
  async function discoverHost(domain, provider) {
    for (const { zone, name } of zonesOf(domain)) {
      const found = await dns.find(name, 'TXT').catch(() => []);
      const [text = ''] = found.map((strings) => strings.join(''));
      const url = settingsUrl(text, zone);
      if (url === undefined) continue;
      const settings = DnsHost.safeParse(await jsonAt(http, url));
      const { urlSyncUX } = settings.data ?? {};
      if (!settings.success || urlSyncUX === undefined) return undefined;
      const knows = await statusAt(http, templateUrl(settings.data, provider));
      return knows === 200 ? { host: { ...settings.data, urlSyncUX }, zone } : undefined;
    }
    return undefined;
  };

const HEADERS = { accept: 'application/json' };

/** Undefined for any other answer than JSON with the status 200. */
async function jsonAt({ get }: Pick<CheckedHttp, 'get'>, url: string): Promise<unknown> {
  try {
    const { status, body } = await get(url, HEADERS);
    const text = await textWithin(body, SETTINGS_MAX_BYTES);
    return status === 200 ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

async function statusAt({ get }: Pick<CheckedHttp, 'get'>, url: string): Promise<number> {
  try {
    const { status, body } = await get(url, HEADERS);
    body.on('error', () => undefined).destroy();
    return status;
  } catch {
    return 0;
  }
}
