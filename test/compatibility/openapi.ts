/** What a program that calls the API, or receives webhooks, would notice between two OpenAPI documents. */
import {
  type Break,
  createSchemaComparison,
  type Direction,
  isBeta,
  type Named,
  type Schema,
  type Sides,
} from './schema.ts';

type Parameter = { name: string; in: string; required?: boolean; schema: Schema };
type Media = Readonly<Record<string, { schema: Schema }>>;
type Response = { $ref?: string; content?: Media; headers?: Readonly<Record<string, unknown>> };
type Operation = {
  operationId: string;
  security: readonly Readonly<Record<string, unknown>>[];
  'x-permission'?: string;
  'x-stability-level'?: string;
  parameters?: readonly Parameter[];
  requestBody?: { required?: boolean; content: Media };
  responses: Readonly<Record<string, Response>>;
};
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
export type OpenApi = {
  servers: readonly { url: string }[];
  paths: Paths;
  webhooks: Paths;
  components: { schemas: Named; responses: Readonly<Record<string, Response>> };
};

export function breaksOfApi(documents: Sides<OpenApi>): Break[] {
  const { before, after } = documents;
  const breaks: Break[] = [];
  const report = (subject: string, what: string) => void breaks.push({ subject, what });
  const named = { before: before.components.schemas, after: after.components.schemas };
  const compare = createSchemaComparison(named, breaks);

  const servers = after.servers.map(({ url }) => url);
  for (const { url } of before.servers) if (!servers.includes(url)) report(url, 'is removed');

  const compareMedia = (media: Sides<Media>, direction: Direction, at: string) => {
    for (const [type, { schema }] of Object.entries(media.before)) {
      const now = media.after[type];
      if (now === undefined) report(`${at} ${type}`, 'is removed');
      else compare({ before: schema, after: now.schema }, direction, at);
    }
  };

  /** @param direction `response` for what Inlet sends to receivers */
  function compareParameters(of: Sides<Operation>, direction: Direction, title: string): void {
    const found = new Map((of.after.parameters ?? []).map((one) => [keyOf(one), one]));
    const known = new Set((of.before.parameters ?? []).map(keyOf));
    for (const one of of.before.parameters ?? []) {
      const subject = `${title} ${keyOf(one)}`;
      const now = found.get(keyOf(one));
      if (now === undefined) {
        report(subject, 'is removed');
        continue;
      }
      compare({ before: one.schema, after: now.schema }, direction, subject);
      if (direction === 'request' && !one.required && now.required) report(subject, 'is required');
      if (direction === 'response' && one.required && !now.required)
        report(subject, 'may be absent');
    }
    if (direction === 'request')
      for (const [key, { required }] of found)
        if (required && !known.has(key)) report(`${title} ${key}`, 'is new and required');
  }

  function compareBody({ before: was, after: is }: Sides<Operation>, title: string): void {
    const body = { before: was.requestBody, after: is.requestBody };
    if (body.after?.required && !body.before?.required) report(`${title} body`, 'is required');
    if (body.before)
      compareMedia(
        { before: body.before.content, after: body.after?.content ?? {} },
        'request',
        `${title} body`,
      );
  }

  /** Errors may go, and others come. Their bodies are one schema. */
  function compareResponses(of: Sides<Operation>, title: string): void {
    for (const [status, response] of Object.entries(of.before.responses)) {
      const at = `${title} ${status}`;
      const found = of.after.responses[status];
      if (found === undefined) {
        if (isSuccess(status)) report(at, 'is removed');
        continue;
      }
      const [was, is] = [referred(response, before), referred(found, after)];
      compareMedia({ before: was.content ?? {}, after: is.content ?? {} }, 'response', at);
      for (const name of Object.keys(was.headers ?? {}))
        if (is.headers?.[name] === undefined) report(`${at} ${name}`, 'is removed');
    }
    for (const status of Object.keys(of.after.responses))
      if (isSuccess(status) && of.before.responses[status] === undefined)
        report(`${title} ${status}`, 'is a new kind of success');
  }

  function compareAccess({ before: was, after: is }: Sides<Operation>, title: string): void {
    if (was.operationId !== is.operationId) report(was.operationId, 'has another name');
    if (is['x-permission'] !== undefined && was['x-permission'] !== is['x-permission'])
      report(`${title} permission`, `is ${is['x-permission']}`);
    const ways = is.security.flatMap(Object.keys);
    const isLost = was.security.flatMap(Object.keys).some((way) => !ways.includes(way));
    const isClosed = was.security.length === 0 && is.security.length > 0;
    if (is.security.length > 0 && (isLost || isClosed))
      report(`${title} security`, `is ${ways.join(' or ')}`);
  }

  for (const [title, operations] of pairs(before.paths, after.paths)) {
    if (isBeta(operations.before)) continue;
    if (operations.after === undefined) {
      report(title, 'is removed');
      continue;
    }
    if (isBeta(operations.after)) {
      report(title, 'is no longer stable');
      continue;
    }
    const of = { before: operations.before, after: operations.after };
    compareAccess(of, title);
    compareParameters(of, 'request', title);
    compareBody(of, title);
    compareResponses(of, title);
  }

  for (const [title, operations] of pairs(before.webhooks, after.webhooks)) {
    const of = operations.after && { before: operations.before, after: operations.after };
    if (of === undefined) {
      report(title, 'is removed');
      continue;
    }
    compareParameters(of, 'response', title);
    compareMedia(
      {
        before: of.before.requestBody?.content ?? {},
        after: of.after.requestBody?.content ?? {},
      },
      'response',
      `${title} body`,
    );
    for (const status of Object.keys(of.before.responses))
      if (of.after.responses[status] === undefined) report(`${title} ${status}`, 'is removed');
  }
  return breaks;
}

const keyOf = ({ in: place, name }: Parameter) => `${place} ${name}`;
const isSuccess = (status: string) => /^[23]/.test(status);

const referred = (response: Response, { components }: OpenApi): Response => {
  const name = response.$ref?.split('/').at(-1);
  return name === undefined ? response : (components.responses[name] ?? {});
};

/** Each operation of `before`, as `GET /addresses`, with the same one of `after`. */
const pairs = (before: Paths, after: Paths) =>
  Object.entries(before).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) =>
        [
          `${method.toUpperCase()} ${path}`,
          { before: operation, after: after[path]?.[method] },
        ] as const,
    ),
  );
