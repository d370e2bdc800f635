/** The parts of an OpenAPI 3.1 document that Inlet uses. */
import type { Permission } from '../../core/token/permission.ts';
import type { Components, Schema } from './schemas.ts';

export type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
};
export type Media = {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
};
export type Response = {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, Media>;
};
export type CodeSample = { lang: string; label: string; source: string };
export type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  /** What the token needs; absent when the operation needs no token. */
  'x-permission'?: Permission;
  /** `beta`: no part of the contract (docs/project/compatibility.md). */
  'x-stability-level'?: 'beta';
  'x-codeSamples': CodeSample[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, Response | { $ref: string }>;
};
export type OpenApi = {
  openapi: string;
  info: { title: string; version: string; description: string; contact: object; license: object };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<'post', Operation>>;
  components: {
    securitySchemes: object;
    headers: Record<string, object>;
    responses: Record<string, Response>;
    schemas: Components;
  };
};
