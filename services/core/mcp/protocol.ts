/** Versions, errors and responses of the Model Context Protocol. */
import { VERSION } from '../version.ts';

/** The revision without sessions. */
export const STATELESS = '2026-07-28';
/** Revisions that begin with `initialize`, newest first. */
const WITH_INITIALIZE = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
export const SUPPORTED: readonly string[] = [STATELESS, ...WITH_INITIALIZE];

/** Never null: MCP forbids it. */
export type RpcId = string | number;

/** Request headers, undefined when absent. */
export type McpHeaders = {
  /** MCP-Protocol-Version */
  version: string | undefined;
  /** Mcp-Method */
  method: string | undefined;
  /** Mcp-Name */
  name: string | undefined;
};

/** JSON-RPC 2.0 §5.1, and MCP 2026-07-28, basic/index: error codes. Each with its HTTP status. */
const ERRORS = {
  parse_error: { code: -32700, status: 400 },
  invalid_request: { code: -32600, status: 400 },
  method_not_found: { code: -32601, status: 404 },
  invalid_params: { code: -32602, status: 200 },
  header_mismatch: { code: -32020, status: 400 },
  unsupported_version: { code: -32022, status: 400 },
} as const;

export type Fault = {
  id: RpcId | undefined;
  status: number;
  code: number;
  message: string;
  data?: unknown;
};

export const fault = (kind: keyof typeof ERRORS, message: string, id?: RpcId): Fault => ({
  id,
  message,
  ...ERRORS[kind],
});

export const errorResponse = ({ id, code, message, data }: Fault) => ({
  jsonrpc: '2.0' as const,
  ...(id !== undefined && { id }),
  error: { code, message, ...(data !== undefined && { data }) },
});

const SERVER_INFO = { name: 'inlet', title: 'Inlet', version: VERSION };

type RpcRequestFacts = { id: RpcId; isStateless: boolean };

export const resultResponse = ({ id, isStateless }: RpcRequestFacts, result: object) => ({
  jsonrpc: '2.0' as const,
  id,
  result: isStateless
    ? {
        resultType: 'complete',
        ...result,
        _meta: { 'io.modelcontextprotocol/serverInfo': SERVER_INFO },
      }
    : result,
});

const CAPABILITIES = { tools: {} };
/** How long clients may cache what this version of the server offers. */
const CACHE_MS = 60_000;

/** Another token may see other tools. */
const CACHING = { ttlMs: CACHE_MS, cacheScope: 'private' };

/** The response of `initialize`: the version that the client asks for, else the newest of its kind. */
export const initializeResult = (requested: unknown, instructions: string) => ({
  protocolVersion: WITH_INITIALIZE.find((version) => version === requested) ?? WITH_INITIALIZE[0],
  capabilities: CAPABILITIES,
  serverInfo: SERVER_INFO,
  instructions,
});

/** The response of `server/discover`. */
export const discoverResult = (instructions: string) => ({
  supportedVersions: SUPPORTED,
  capabilities: CAPABILITIES,
  instructions,
  ...CACHING,
});

export const toolsResult = ({ isStateless }: RpcRequestFacts, tools: readonly object[]) => ({
  tools,
  ...(isStateless && CACHING),
});
