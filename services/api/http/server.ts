/**
 * The HTTP server: timeouts for slow clients, responses to malformed HTTP, and a stop that lets
 * requests finish.
 */
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type Koa from 'koa';

import {
  limitConnections,
  type ConnectionLimits,
  type OpenConnections,
} from '../../adapters/http/open-connections.ts';
import type { TlsPair } from '../../adapters/tls/tls-files.ts';
import { AppError } from '../../core/error/app-error.ts';
import { errorBody, statusOf } from './errors.ts';
import { newRequestId } from './observability/request-id.ts';
import type { ApiState } from './state/state.ts';
import { storableJson } from '../../core/text/text.ts';

type HttpServer = AsyncDisposable & {
  port: number;
  /** Uses another certificate for new connections; open connections are not affected. */
  useCertificate: (pair: TlsPair) => void;
};

type Options = {
  host: string;
  /** 0 for any free port. */
  port: number;
  /** The server speaks HTTPS if it has a certificate. */
  tls: TlsPair | undefined;
  /** Tests have shorter ones. */
  limits?: HttpLimits;
};

export type HttpLimits = ConnectionLimits & {
  /** For a TLS handshake, and for the headers of a request. */
  headersMs: number;
  /** For headers and body. */
  requestMs: number;
  /** Between two checks of the clients' times. */
  checkMs: number;
};

const LIMITS: HttpLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  checkMs: 2_000,
  maxConnections: 4_096,
  lingerMs: 2_000,
};

const SETTINGS = {
  // longer than the timeout of a proxy in front, which would otherwise use connections that are closing
  keepAliveTimeout: 75_000,
  requireHostHeader: false, // the application rejects these itself, with a request id
};

/** Requests in progress at a stop may continue for this time. */
export const STOP_GRACE_MS = 10_000;

export async function serveHttp(
  app: Koa<ApiState>,
  { host, port, tls, limits = LIMITS }: Options,
): Promise<HttpServer> {
  const handle = app.callback();
  const settings = {
    ...SETTINGS,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkMs,
  };
  const { headersMs: handshakeTimeout } = limits;
  const https =
    tls && createHttpsServer({ ...settings, handshakeTimeout, cert: tls.cert, key: tls.key });
  const server = https ?? createHttpServer(settings);
  const connections = limitConnections(server, limits);
  let isStopping = false;
  const handleRequest = (request: IncomingMessage, response: ServerResponse) => {
    if (isStopping) response.setHeader('Connection', 'close');
    response.once('close', () => {
      // the response began before the stop, without Connection: close
      if (isStopping) setImmediate(() => server.closeIdleConnections());
    });
    void handle(request, response);
  };
  server.on('request', handleRequest);
  // RFC 9110 §10.1.1 allows a server to ignore an unknown expectation
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', (error: BrokenHttp, socket: Socket) =>
    respondToBrokenHttp(connections, error, socket),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new Error(`serve the API on ${host}:${port}`, { cause })),
    );
    server.listen(port, host, resolve);
  });

  return {
    port: (server.address() as AddressInfo).port,
    useCertificate: ({ cert, key }) => https?.setSecureContext({ cert, key }),
    [Symbol.asyncDispose]: async function stopServer() {
      isStopping = true;
      const force = setTimeout(connections.destroyAll, STOP_GRACE_MS);
      await new Promise<void>((resolve) => {
        server.close(() => resolve()); // closes idle connections immediately
      });
      clearTimeout(force);
    },
  };
}

/**
 * Requests that the HTTP parser rejects never reach the application, but receive the same kind of
 * response.
 */
function respondToBrokenHttp(
  { endWith }: OpenConnections,
  error: BrokenHttp,
  socket: Socket,
): void {
  if (!socket.writable || !isHttpFault(error.code)) {
    socket.destroy(); // also after a TLS handshake that failed
    return;
  }
  const fault = brokenHttp(error.code);
  const status = statusOf(fault);
  const body = storableJson(errorBody(fault));
  endWith(
    socket,
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nX-Request-Id: ${newRequestId()}\r\n` +
      'Content-Type: application/json; charset=utf-8\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

type BrokenHttp = Error & { code?: string };

/** Codes of the HTTP parser, and of the time limit for a request. */
const isHttpFault = (code = ''): boolean => /^(HPE|ERR_HTTP)_/.test(code);

function brokenHttp(code: string | undefined): AppError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new AppError('request_timeout', 'The request was not received in time');
  if (code === 'HPE_HEADER_OVERFLOW')
    return new AppError('headers_too_large', 'The request headers are too large');
  return new AppError('bad_request', 'Malformed HTTP request');
}
