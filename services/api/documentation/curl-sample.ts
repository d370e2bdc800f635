/** The curl line of a call, for the reference. */
import type { Access, Endpoint } from '../http/endpoint.ts';
import type { CodeSample } from './document.ts';
import { PATH_PARAMETERS } from './path-parameters.ts';

/** The shell has the variables INLET_API_URL and INLET_TOKEN, and one for each required query parameter. */
export function curlLine(endpoint: Endpoint): CodeSample {
  const { method, path, permission, query, file, example, receives } = endpoint;
  const filled = path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => PATH_PARAMETERS[name]?.example ?? name,
  );
  const required = Object.entries(query.shape)
    .filter(([, field]) => !field.safeParse(undefined).success)
    .map(([name]) => `${name}=$${name.toUpperCase()}`);
  const search = required.length === 0 ? '' : `?${required.join('&')}`;
  const body = example?.request;
  const words = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$INLET_API_URL${filled}${search}"`,
    ...credentialFor(permission),
    ...(receives
      ? [
          `-H "Content-Type: ${receives.mediaType}"`,
          ...receives.headers.map(({ name, example: value }) => `-H "${name}: ${value}"`),
          '--data-binary @email.eml',
        ]
      : []),
    ...(body === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(body))}`]),
    ...(file && file.schema === undefined ? ['--output file'] : []),
  ];
  return { lang: 'Shell', label: 'curl', source: words.join(' \\\n  ') };
}

const credentialFor = (permission: Access): string[] => {
  if (permission === null) return [];
  return permission === 'session'
    ? ['-b cookies.txt', '-H "Sec-Fetch-Site: same-origin"', '-H "Inlet-Dashboard: 1"']
    : ['-H "Authorization: Bearer $INLET_TOKEN"'];
};

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
