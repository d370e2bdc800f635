/** Calls of the REST API with a token, and how their failures end a command. */
import type { Error as ApiError } from '../../core/api/api-types.generated.ts';
import { type Call, createCall, type SendRequest } from '../../core/api/calls.ts';
import { ExitCode, Failure } from '../terminal/failure.ts';
import { causesOf, isCertificateFault } from '../terminal/fault-text.ts';
import { withNames } from './address-names.ts';
import type { Connection } from './connection.ts';
import type { Fetch } from './fetch.ts';

export type Api = {
  call: Call;
  /** Resolves with any response. @throws Failure when there is none */
  send: SendRequest;
};

const EXIT_CODES: Record<number, ExitCode> = {
  401: ExitCode.notAllowed,
  403: ExitCode.notAllowed,
  404: ExitCode.notFound,
};
const TEMPORARY = new Set([408, 429, 500, 502, 503, 504]);

export function createApi(
  { apiUrl, token, request }: Pick<Connection, 'apiUrl' | 'token'> & { request: Fetch },
  userAgent: string,
  stopped: AbortSignal,
): Api {
  const send: SendRequest = async (method, path, body, signal = stopped) => {
    const wanted = new Request(`${apiUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'user-agent': userAgent,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.any([stopped, signal]),
    });
    try {
      const response = await request(wanted);
      const content = await response.arrayBuffer(); // the connection may break here, too
      return new Response(content.byteLength === 0 ? null : content, response);
    } catch (error) {
      if (stopped.aborted) throw error;
      throw unreachable(apiUrl, error);
    }
  };
  const call = createCall(async (...parts) => success(await send(...parts)));
  return { send, call: withNames(call) };
}

export const unreachable = (apiUrl: string, error: unknown): Failure =>
  new Failure(`the API at ${apiUrl} does not respond (${causesOf(error)})`, ExitCode.unreachable, {
    isTemporary: !isCertificateFault(error),
  });

/** @throws Failure with the message of the API */
export async function success(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw await refusal(response);
}

/** Undefined when the API responds with 404. */
export async function found<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Failure && error.exitCode === ExitCode.notFound) return undefined;
    throw error;
  }
}

const LISTEN_HINT =
  'For a program on this machine, run "inlet listen --forward http://localhost:3000": ' +
  'it needs no public URL.';

async function refusal(response: Response): Promise<Failure> {
  const body = ((await response.json().catch(() => undefined)) ?? {}) as Partial<ApiError>;
  const { error, message, details } = body;
  const requestId = response.headers.get('x-request-id');
  const needsHttps = details?.code === 'not_https' && details.field === 'webhook_url';
  const text = [
    message ?? `the API responded with ${response.status}`,
    details?.field ? ` (field ${details.field})` : '',
    error === undefined ? '' : ` [${error}]`,
    response.status >= 500 && requestId ? ` [request ${requestId}]` : '',
    needsHttps ? `\n${LISTEN_HINT}` : '',
  ];
  return new Failure(text.join(''), EXIT_CODES[response.status] ?? ExitCode.failed, {
    isTemporary: TEMPORARY.has(response.status),
  });
}
