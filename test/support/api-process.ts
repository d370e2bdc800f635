/** Calls of an API that runs in a process of its own. */

export type Request = (method: string, path: string) => Promise<Record<string, unknown>>;

/** Resolves with the body of the response, also of an error. */
export const openRequest =
  (port: number, token: string): Request =>
  async (method, path) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
    });
    return (await response.json()) as Record<string, unknown>;
  };
