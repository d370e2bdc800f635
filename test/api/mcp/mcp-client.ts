/** A client of the MCP server that speaks revision 2026-07-28, or any other that headers say. */
import type { Answer, TestApi } from '../../support/start-api.ts';

const VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
};

export type Content = { type: string; text: string; uri: string; name: string };
export type CallResult = {
  content: Content[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
};

/** A request as the specification wants it. */
export const rpc = (
  { ask }: Pick<TestApi, 'ask'>,
  method: string,
  params: Record<string, unknown> = {},
  { token, headers }: { token?: string; headers?: Record<string, string> } = {},
): Promise<Answer> =>
  ask('POST', '/mcp', {
    ...(token !== undefined && { token }),
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } },
    headers: {
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
      ...headers,
    },
  });

/** Calls a tool. @throws when there is no result */
export async function callTool(
  api: Pick<TestApi, 'ask'>,
  name: string,
  input: Record<string, unknown> = {},
  token?: string,
): Promise<CallResult & { text: string }> {
  const { body } = await rpc(api, 'tools/call', { name, arguments: input }, token ? { token } : {});
  const result = body.result as CallResult | undefined;
  if (result === undefined) throw new Error(JSON.stringify(body));
  return { ...result, text: result.content[0]?.text ?? '' };
}

export async function toolNames(api: Pick<TestApi, 'ask'>, token?: string): Promise<string[]> {
  const { body } = await rpc(api, 'tools/list', {}, token ? { token } : {});
  return (body.result as { tools: { name: string }[] }).tools.map(({ name }) => name);
}

/** The text of strangers in a response. */
export function untrusted(text: string): string {
  const [, mark, theirs] = /\n<<<UNTRUSTED (\w{18})\n([^]*)\nUNTRUSTED \1>>>$/.exec(text) ?? [];
  if (mark === undefined || theirs === undefined) throw new Error(`no marks: ${text}`);
  return theirs;
}
