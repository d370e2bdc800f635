/**
 * CustomResourceDefinitions (apiextensions.k8s.io/v1) from the table in custom-resource.ts:
 * structural schemas, with the status as a subresource.
 */
import { z } from 'zod';

import { GROUP, type Kind, type KindName, KINDS, VERSION } from './custom-resource.ts';

type Json = Record<string, unknown>;

export const customResourceDefinition = (kind: KindName): Json => definitionOf(kind, KINDS[kind]);

export function definitionOf(kind: string, of: Kind): Json {
  const { plural, shortName } = of;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: [shortName],
        categories: ['inlet'],
      },
      versions: [{ name: VERSION, served: true, storage: true, ...contentOf(of) }],
    },
  };
}

const contentOf = ({ about, spec, status, columns }: Kind): Json => ({
  subresources: { status: {} },
  additionalPrinterColumns: columns.map((column) => ({
    name: column.name,
    type: column.type ?? 'string',
    jsonPath: column.path,
    ...(column.isWide && { priority: 1 }),
  })),
  schema: {
    openAPIV3Schema: {
      description: about,
      type: 'object',
      required: ['spec'],
      properties: {
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: { type: 'object' },
        spec: structural(spec),
        status: structural(status),
      },
    },
  },
});

const structural = (schema: z.ZodObject): Json =>
  cleaned(z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input', reused: 'inline' })) as Json;

/** The formats in use that the API server knows. At each apply, it warns of all others. */
const FORMATS: readonly unknown[] = ['date-time', 'email'];

/** Without the bounds of all JSON integers, without empty descriptions, and without formats of ours. */
function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, part]) =>
      !(Math.abs(Number(part)) === Number.MAX_SAFE_INTEGER) &&
      !(key === 'description' && part === '') &&
      !(key === 'format' && typeof part === 'string' && !FORMATS.includes(part)),
  );
  return {
    ...('type' in value && value.type === 'integer' && { format: 'int64' }),
    ...Object.fromEntries(kept.map(([key, part]) => [key, cleaned(part)])),
  };
}
