/**
 * Headers that repeat fields of the body, so that proxies can route by them (MCP 2026-07-28,
 * basic/transports/streamable-http: request metadata). They must agree with the body.
 */
import type { McpHeaders } from './protocol.ts';

export const PROTOCOL_VERSION_FIELD = 'io.modelcontextprotocol/protocolVersion';

/** Methods with Mcp-Name, and the field that it repeats. */
const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** What is wrong with the headers; undefined when nothing is. */
export function headerFault(
  { method, params }: { method: string; params: Readonly<Record<string, unknown>> },
  version: unknown,
  headers: McpHeaders,
): string | undefined {
  const name = params[NAMED[method] ?? ''];
  return (
    faultOf('MCP-Protocol-Version', headers.version, version) ??
    faultOf('Mcp-Method', headers.method, method) ??
    (name === undefined ? undefined : faultOf('Mcp-Name', decoded(headers.name), name))
  );
}

/** The message does not repeat values: they may be anything. */
function faultOf(header: string, found: string | undefined, inBody: unknown): string | undefined {
  if (found === undefined) return `Header mismatch: ${header} is missing or malformed`;
  return found === inBody ? undefined : `Header mismatch: ${header} does not match the body`;
}

const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

/** A value that is not plain ASCII is in Base64. */
function decoded(value: string | undefined): string | undefined {
  const [, encoded] = ENCODED.exec(value ?? '') ?? [];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString();
}
