/**
 * Messages of the Model Context Protocol: JSON-RPC 2.0, one request for each HTTP request. Revision
 * 2026-07-28 has no sessions: each request carries its version. Clients of earlier revisions begin
 * with `initialize`; nothing is remembered of that either, because a later request needs none of it.
 */
import { z } from 'zod';

import { headerFault, PROTOCOL_VERSION_FIELD } from './request-headers.ts';
import {
  fault,
  type Fault,
  type McpHeaders,
  type RpcId,
  STATELESS,
  SUPPORTED,
} from './protocol.ts';

export type RpcRequest = {
  id: RpcId;
  method: string;
  params: Record<string, unknown>;
  /** True for revision 2026-07-28 or later. */
  isStateless: boolean;
};

type Message =
  | { kind: 'request'; request: RpcRequest }
  /** It needs no response. */
  | { kind: 'notification' }
  | { kind: 'fault'; fault: Fault };

const ID_MAX_CHARS = 256;
const METHOD_MAX_CHARS = 128;

const Envelope = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string().max(ID_MAX_CHARS), z.number()]).optional(),
  method: z.string().min(1).max(METHOD_MAX_CHARS).optional(),
  params: z.record(z.string(), z.unknown()).optional(),
});

const REQUIRED_META = [
  PROTOCOL_VERSION_FIELD,
  'io.modelcontextprotocol/clientCapabilities',
] as const;

/** @param body parsed JSON */
export function readMessage(body: unknown, headers: McpHeaders): Message {
  if (Array.isArray(body)) return refused(fault('invalid_request', 'Batches are not supported'));
  const parsed = Envelope.safeParse(body);
  if (!parsed.success) return refused(fault('invalid_request', 'Not a JSON-RPC 2.0 message'));
  const { id, method, params = {} } = parsed.data;
  if (headers.version !== undefined && !SUPPORTED.includes(headers.version))
    return refused(unsupported(id, headers.version));
  if (id === undefined || method === undefined) return { kind: 'notification' };
  const meta = metaOf(params);
  const isStateless = headers.version === STATELESS || meta[PROTOCOL_VERSION_FIELD] !== undefined;
  const request = { id, method, params, isStateless };
  const found = isStateless ? statelessFault(request, meta, headers) : undefined;
  return found ? refused(found) : { kind: 'request', request };
}

const refused = (found: Fault): Message => ({ kind: 'fault', fault: found });

/** MCP 2026-07-28, basic/index: per-request protocol fields. */
function statelessFault(
  request: RpcRequest,
  meta: Record<string, unknown>,
  headers: McpHeaders,
): Fault | undefined {
  const missing = REQUIRED_META.find((name) => meta[name] === undefined);
  if (missing !== undefined)
    return {
      ...fault('invalid_params', `Missing _meta field ${missing}`, request.id),
      status: 400,
    };
  const mismatch = headerFault(request, meta[PROTOCOL_VERSION_FIELD], headers);
  return mismatch === undefined ? undefined : fault('header_mismatch', mismatch, request.id);
}

function metaOf({ _meta }: Record<string, unknown>): Record<string, unknown> {
  return typeof _meta === 'object' && _meta !== null ? (_meta as Record<string, unknown>) : {};
}

const unsupported = (id: RpcId | undefined, requested: string): Fault => ({
  ...fault('unsupported_version', 'Unsupported protocol version', id),
  data: { supported: SUPPORTED, requested },
});
