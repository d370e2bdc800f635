/** Assembles the MCP server. */
import type { Middleware } from 'koa';

import type { Stores } from '../../adapters/mongo/stores.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { ApiStore } from '../content/store-for-api.ts';
import type { Audit } from '../../platform/audit.ts';
import type { ContentThread } from '../content/content-thread.ts';
import type { ApiConfig } from '../process/config.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Slots } from '../http/limits/slots.ts';
import type { RecordView } from '../email/email-views.ts';
import { createCallEndpoint } from '../http/perform.ts';
import type { RequestGuards } from '../http/router.ts';
import type { ApiState } from '../http/state/state.ts';
import { createAddressTool } from './address-tools.ts';
import { emailTools } from './email-tools.ts';
import { listTools } from './list-tools.ts';
import { refusalTools } from './refusal-tools.ts';
import { serveMcp } from './serve.ts';

type McpDependencies = {
  stores: Pick<Stores, 'addresses' | 'deliveries'>;
  store: Pick<ApiStore, 'payload'>;
  downloads: Slots;
  content: ContentThread;
  endpoints: readonly Endpoint[];
  guards: RequestGuards;
  audit: Audit;
  recordView: RecordView;
};

/** Undefined when this installation does not serve it. */
export function assembleMcp(
  { MCP, LINK_KEYS, PUBLIC_API_URL }: Pick<ApiConfig, 'MCP' | 'LINK_KEYS' | 'PUBLIC_API_URL'>,
  {
    stores: { addresses, deliveries },
    store,
    downloads,
    content,
    endpoints,
    guards,
    audit,
    recordView,
  }: McpDependencies,
  log: Log,
): Middleware<ApiState> | undefined {
  if (!MCP) return undefined;
  return serveMcp({
    tools: [
      createAddressTool(LINK_KEYS !== undefined),
      ...listTools({ addresses, deliveries }),
      ...refusalTools(),
      ...emailTools({ deliveries, store, downloads, content, recordView }),
    ],
    callEndpoint: createCallEndpoint(endpoints, guards.searches),
    guards,
    publicOrigin: PUBLIC_API_URL && new URL(PUBLIC_API_URL).origin,
    audit,
    log,
  });
}
