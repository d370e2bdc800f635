/** Parts that the schemas of several custom resources share: references, validation rules, settings, conditions. */
import { z } from 'zod';

import { Environment } from '../account/address.ts';

const OBJECT_NAME_MAX_CHARS = 253; // RFC 1123 subdomain, as Kubernetes names things

/** A rule that the API server checks, in its expression language. */
type Rule = { rule: string; message: string };
export const rules = (...list: Rule[]) => ({ 'x-kubernetes-validations': list });

/** Optional fields that keep what they were made with, be it nothing. */
export const immutable = (...fields: string[]): Rule[] =>
  fields.map((field) => ({
    rule: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
    message: `${field} cannot be changed`,
  }));

const camelCase = (name: string) =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const snakeCase = (name: string) =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Settings as Kubernetes spells fields; those not given keep their defaults, which the record holds, not the resource. */
export const settingsOf = (schema: z.ZodObject) =>
  z.object(
    Object.fromEntries(
      Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => [
        camelCase(name),
        (field instanceof z.ZodDefault ? (field.unwrap() as z.ZodType) : field)
          .optional()
          .describe(field.description ?? ''),
      ]),
    ),
  );

/** Settings of a resource as records name them. */
export const recordFields = (settings: Record<string, unknown> = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [snakeCase(name), value]));

export const AccountRef = z
  .object({ name: z.string().min(1).max(OBJECT_NAME_MAX_CHARS).describe('its name') })
  .meta({
    description: 'the Account resource that this belongs to, in the same namespace',
    ...rules({ rule: 'self.name == oldSelf.name', message: 'accountRef cannot be changed' }),
  });

export const SecretName = z.string().min(1).max(OBJECT_NAME_MAX_CHARS);

export const ResourceEnvironment = Environment.default('live').meta({
  description: 'live and test are two worlds of an account; test mail is never billed',
  ...rules({ rule: 'self == oldSelf', message: 'environment cannot be changed' }),
});

export const Condition = z.object({
  type: z.string().max(316).describe('what this is about: Ready, or Verified of a domain'),
  status: z.enum(['True', 'False', 'Unknown']).describe('whether it is so'),
  reason: z.string().min(1).max(1024).describe('why, in one word for programs'),
  message: z.string().max(32_768).describe('why, for people'),
  lastTransitionTime: z
    .string()
    .meta({ format: 'date-time', description: 'when the status last changed' }),
  observedGeneration: z.int().min(0).optional().describe('of the spec that this is about'),
});
export type Condition = z.infer<typeof Condition>;

export const commonStatus = {
  observedGeneration: z.int().min(0).optional().describe('of the spec that was acted upon last'),
  conditions: z
    .array(Condition)
    .optional()
    .meta({
      description: 'how it is doing',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    }),
};
