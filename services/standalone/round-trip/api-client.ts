/** A client of the REST API, as a customer could write it. */

export type ApiAnswer = { status: number; body: unknown };

export type ApiClient = (
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
) => Promise<ApiAnswer>;

export function createApiClient(
  apiUrl: string,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): ApiClient {
  return async function callApi(method, path, body) {
    const response = await fetch(`${apiUrl}${path}`, {
      method,
      headers: {
        ...headers,
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
}
