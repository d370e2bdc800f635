/**
 * Parts that the schemas of several custom resources share: references, validation rules, settings,
 * conditions.
 */
import { z } from 'zod';

import { Environment } from '../../resource/environment.ts';
import { WEBHOOK_URL_MAX_CHARS } from '../../network/webhook-url.ts';

export const OBJECT_NAME_MAX_CHARS = 253; // RFC 1123 subdomain, as Kubernetes names things

/** A validation rule that the API server checks, in CEL. */
type Rule = { rule: string; message: string };
export const rules = (...list: Rule[]) => ({ 'x-kubernetes-validations': list });

/** Optional fields that cannot be set, changed or removed after creation. */
export const immutable = (...fields: string[]): Rule[] =>
  fields.map((field) => ({
    rule: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
    message: `${field} cannot be changed`,
  }));

const camelCase = (name: string) =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const snakeCase = (name: string) =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const withoutDefault = (field: z.ZodType): z.ZodType =>
  field instanceof z.ZodDefault || field instanceof z.ZodNullable
    ? withoutDefault(field.unwrap() as z.ZodType)
    : field;

/**
 * Settings with names in camelCase and without defaults: the record holds the defaults, not the
 * resource.
 */
export const settingsOf = (schema: z.ZodObject) =>
  z.object(
    Object.fromEntries(
      Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => [
        camelCase(name),
        withoutDefault(field)
          .optional()
          .describe(field.description ?? ''),
      ]),
    ),
  );

/** Settings of a resource with the names that records use. */
export const recordFields = (settings: Record<string, unknown> = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [snakeCase(name), value]));

export const AccountRef = z
  .object({
    name: z.string().min(1).max(OBJECT_NAME_MAX_CHARS).describe('name of the Account resource'),
  })
  .meta({
    description: 'the Account resource that this resource belongs to, in the same namespace',
    ...rules({ rule: 'self.name == oldSelf.name', message: 'accountRef cannot be changed' }),
  });

export const SecretName = z
  .string()
  .min(1)
  .max(OBJECT_NAME_MAX_CHARS)
  .meta(
    rules({
      rule: "self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",
      message:
        'must be a name of a Secret: lower-case letters, digits, - and ., with a letter or digit ' +
        'at both ends of each part',
    }),
  );

const httpsUrl = (hint: string) =>
  z
    .string()
    .min(1)
    .max(WEBHOOK_URL_MAX_CHARS)
    .meta(
      rules(
        {
          rule: "isURL(self) && url(self).getScheme() == 'https' && url(self).getHostname() != ''",
          message: 'must be an https URL with a host',
        },
        {
          rule: "!self.contains('#') && !self.matches('^[^/]*//[^/?]*@')",
          message: `must have no user and no fragment${hint}`,
        },
      ),
    );
export const WebhookUrl = httpsUrl('');
/** The URL of a receiver, which may have `auth`. */
export const ReceiverUrl = httpsUrl(': a Secret has user and password (auth.basicSecretRef)');

export const SecretGeneration = z
  .int()
  .min(1)
  .default(1)
  .meta({
    description:
      'increase it to rotate the webhook secret; during the rotation overlap, the former secret signs as well',
    ...rules({ rule: 'self >= oldSelf', message: 'secretGeneration can only be increased' }),
  });

export const ResourceEnvironment = Environment.default('live').meta({
  description: 'live or test: two separate environments of an account; test mail is never billed',
  ...rules({ rule: 'self == oldSelf', message: 'environment cannot be changed' }),
});

export const Condition = z.object({
  type: z
    .string()
    .max(316)
    .describe('type of the condition: Ready, or for a domain also Verified and MtaSts'),
  status: z.enum(['True', 'False', 'Unknown']).describe('status of the condition'),
  reason: z.string().min(1).max(1024).describe('reason for the status, one word for programs'),
  message: z.string().max(32_768).describe('reason for the status, for people'),
  lastTransitionTime: z
    .string()
    .meta({ format: 'date-time', description: 'time of the last change of the status' }),
  observedGeneration: z
    .int()
    .min(0)
    .optional()
    .describe('generation of the spec that this condition describes'),
});
export type Condition = z.infer<typeof Condition>;

export const commonStatus = {
  observedGeneration: z
    .int()
    .min(0)
    .optional()
    .describe('generation of the spec that the operator last acted on'),
  conditions: z
    .array(Condition)
    .optional()
    .meta({
      description: 'current state of the resource',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    }),
};
