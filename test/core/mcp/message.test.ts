/** Messages of MCP: JSON-RPC, versions, and headers that must agree with the body. */
import { expect, test } from 'vitest';

import { readMessage } from '../../../services/core/mcp/message.ts';
import { errorResponse, initializeResult } from '../../../services/core/mcp/protocol.ts';

const STATELESS = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': STATELESS,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const HEADERS = { version: STATELESS, method: 'tools/call', name: 'search' };
const NONE = { version: undefined, method: undefined, name: undefined };
const message = (params: object = {}, others: object = {}) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name: 'search', _meta: META, ...params },
  ...others,
});

test.each([
  ['a batch', [message()], HEADERS, -32600, undefined],
  ['another version of JSON-RPC', message({}, { jsonrpc: '1.0' }), HEADERS, -32600, undefined],
  ['an id that is null', message({}, { id: null }), HEADERS, -32600, undefined],
  ['no method', message({}, { method: '' }), HEADERS, -32600, undefined],
  ['an unknown version', message(), { ...HEADERS, version: '1900-01-01' }, -32022, 7],
  ['no _meta', message({ _meta: undefined }), HEADERS, -32602, 7],
  [
    'no capabilities',
    message({ _meta: { ...META, [Object.keys(META)[1] ?? '']: undefined } }),
    HEADERS,
    -32602,
    7,
  ],
  ['no header with the version', message(), { ...HEADERS, version: undefined }, -32020, 7],
  ['another version in the header', message(), { ...HEADERS, version: '2025-11-25' }, -32020, 7],
  ['no Mcp-Method', message(), { ...HEADERS, method: undefined }, -32020, 7],
  ['Mcp-Method in capitals', message(), { ...HEADERS, method: 'TOOLS/CALL' }, -32020, 7],
  ['another Mcp-Name', message(), { ...HEADERS, name: 'erase_email' }, -32020, 7],
])('refused with 400: %s', (_why, body, headers, code, id) => {
  const read = readMessage(body, headers);
  if (read.kind !== 'fault') throw new Error(read.kind);
  expect([read.fault.status, read.fault.code, read.fault.id]).toEqual([400, code, id]);
  expect(errorResponse(read.fault)).toMatchObject({ jsonrpc: '2.0', error: { code } });
});

test.each([
  ['of the revision without sessions', message(), HEADERS, true],
  ['with an encoded name', message(), { ...HEADERS, name: '=?base64?c2VhcmNo?=' }, true],
  ['of an earlier revision', message({ _meta: {} }), { ...NONE, version: '2025-11-25' }, false],
  ['of the revision without that header', message({ _meta: undefined }), NONE, false],
])('a request %s', (_what, body, headers, isStateless) => {
  expect(readMessage(body, headers)).toMatchObject({
    kind: 'request',
    request: { id: 7, method: 'tools/call', isStateless },
  });
});

test('notifications and responses of clients need no answer', () => {
  const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const response = { jsonrpc: '2.0', id: 1, result: {} };
  for (const body of [notification, response])
    expect(readMessage(body, NONE)).toEqual({ kind: 'notification' });
});

test('initialize agrees on the version that the client asks for, else the newest', () => {
  for (const [requested, agreed] of [
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2025-11-25'],
    [undefined, '2025-11-25'],
  ])
    expect(initializeResult(requested, '').protocolVersion).toBe(agreed);
});
