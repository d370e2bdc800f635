/**
 * The custom resources of the group `inlet.email`: what a user writes (`spec`) and what the operator answers (`status`). The definitions that a
 * cluster needs are made from these schemas (crd.ts), so they stay plain: objects that say nothing of unknown fields, no unions, rules as CEL.
 */
import { z } from 'zod';

import { AccountSettings } from '../account/account.ts';
import {
  DESCRIPTION_MAX_CHARS,
  Environment,
  PayloadSettings,
  TTL_MAX_HOURS,
} from '../account/address.ts';
import { Permission } from '../account/permission.ts';
import { SPAM_SCORE_MAX } from '../mail/spam.ts';
import { TOKEN_NAME_MAX_CHARS } from '../account/token.ts';
import { WEBHOOK_URL_MAX_CHARS } from '../delivery/webhook-url.ts';

export const GROUP = 'inlet.email';
export const VERSION = 'v1alpha1';
export const API_VERSION = `${GROUP}/${VERSION}`;

const NAME_MAX_CHARS = 100;
const OBJECT_NAME_MAX_CHARS = 253; // RFC 1123 subdomain, as Kubernetes names things

/** A rule that the API server checks, in its expression language. */
type Rule = { rule: string; message: string };
const rules = (...list: Rule[]) => ({ 'x-kubernetes-validations': list });

/** Optional fields that keep what they were made with, be it nothing. */
const immutable = (...fields: string[]): Rule[] =>
  fields.map((field) => ({
    rule: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
    message: `${field} cannot be changed`,
  }));

const camelCase = (name: string) =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const snakeCase = (name: string) =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Settings as Kubernetes spells fields; those not given keep their defaults, which the record holds, not the resource. */
const settingsOf = (schema: z.ZodObject) =>
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

const AccountRef = z
  .object({ name: z.string().min(1).max(OBJECT_NAME_MAX_CHARS).describe('its name') })
  .meta({
    description: 'the Account resource that this belongs to, in the same namespace',
    ...rules({ rule: 'self.name == oldSelf.name', message: 'accountRef cannot be changed' }),
  });

const SecretName = z.string().min(1).max(OBJECT_NAME_MAX_CHARS);

const ResourceEnvironment = Environment.default('live').meta({
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

const commonStatus = {
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

export const AccountSpec = z.object({
  email: z.string().max(254).meta({ format: 'email', description: 'of the account owner' }),
  name: z.string().min(1).max(NAME_MAX_CHARS).describe('of the account owner'),
  company: z.string().max(NAME_MAX_CHARS).optional().describe('of the account owner'),
  plan: z
    .string()
    .min(1)
    .max(NAME_MAX_CHARS)
    .optional()
    .describe('one of the plan catalogue; left alone when absent'),
  settings: settingsOf(AccountSettings)
    .optional()
    .describe('as in the API; what is not given keeps its default'),
  suspended: z
    .boolean()
    .optional()
    .describe('true refuses requests and puts off mail, false ends that; left alone when absent'),
});
export type AccountSpec = z.infer<typeof AccountSpec>;

export const AccountStatus = z.object({
  ...commonStatus,
  id: z.string().optional().describe('as the API shows it'),
});
export type AccountStatus = z.infer<typeof AccountStatus>;

export const InboundAddressSpec = z
  .object({
    accountRef: AccountRef,
    environment: ResourceEnvironment,
    webhookUrl: z
      .string()
      .min(1)
      .max(WEBHOOK_URL_MAX_CHARS)
      .meta({
        description: 'HTTPS URL, publicly reachable, that receives the webhooks',
        ...rules(
          {
            rule: "isURL(self) && url(self).getScheme() == 'https' && url(self).getHostname() != ''",
            message: 'must be an https URL with a host',
          },
          {
            rule: "!self.contains('#') && !self.matches('^[^/]*//[^/?]*@')",
            message: 'must have neither a user nor a fragment',
          },
        ),
      }),
    localPart: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe(
        'what stands before the @, or * for every name that has no address; made up when absent',
      ),
    domain: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe(
        "a verified domain of the same account, one within it, or *. and either; the platform's own when absent",
      ),
    permanent: z.boolean().optional().describe('default true, but false when ttlHours is given'),
    ttlHours: z
      .int()
      .min(1)
      .max(TTL_MAX_HOURS)
      .optional()
      .describe("hours until expiry when not permanent; default: the account's defaultTtlHours"),
    enabled: z.boolean().default(true).describe('false refuses mail and keeps the address'),
    description: z
      .string()
      .max(DESCRIPTION_MAX_CHARS)
      .optional()
      .describe('for people; the API shows it'),
    spamRefuseAbove: z
      .number()
      .min(0)
      .max(SPAM_SCORE_MAX)
      .optional()
      .describe('spam score above which mail is refused; never when absent'),
    payload: settingsOf(PayloadSettings)
      .optional()
      .describe('what the payload holds beside or instead of what is usual'),
    secretName: SecretName.optional().describe(
      'Secret that gets webhook_secret, webhook_url and address; default: the name of this resource with -webhook',
    ),
    secretGeneration: z
      .int()
      .min(1)
      .default(1)
      .meta({
        description:
          'raise it to have another webhook secret; the former one signs beside it for a while',
        ...rules({ rule: 'self >= oldSelf', message: 'secretGeneration can only be raised' }),
      }),
  })
  .meta(
    rules(
      ...immutable('localPart', 'domain', 'permanent', 'ttlHours', 'secretName'),
      {
        rule: '!(has(self.ttlHours) && has(self.permanent) && self.permanent)',
        message: 'ttlHours contradicts permanent',
      }, // D6
    ),
  );
export type InboundAddressSpec = z.infer<typeof InboundAddressSpec>;

export const InboundAddressStatus = z.object({
  ...commonStatus,
  id: z.string().optional().describe('as the API shows it'),
  address: z.string().optional().describe('where to send mail'),
  secretName: z.string().optional().describe('the Secret that the operator wrote'),
  secretGeneration: z.int().optional().describe('of the webhook secret in use'),
  expiresAt: z
    .string()
    .optional()
    .meta({ format: 'date-time', description: 'absent when the address never expires' }),
});
export type InboundAddressStatus = z.infer<typeof InboundAddressStatus>;

export const InboundDomainSpec = z.object({
  accountRef: AccountRef,
  environment: ResourceEnvironment,
  domain: z
    .string()
    .min(1)
    .max(253)
    .meta({
      description: 'domain to receive mail for, once its owner is proven',
      ...rules({ rule: 'self == oldSelf', message: 'domain cannot be changed' }),
    }),
});
export type InboundDomainSpec = z.infer<typeof InboundDomainSpec>;

export const InboundDomainStatus = z.object({
  ...commonStatus,
  id: z.string().optional().describe('as the API shows it'),
  verification: z
    .object({
      type: z.string().describe('of the record'),
      name: z.string().describe('where it stands'),
      value: z.string().describe('what it says'),
    })
    .optional()
    .describe('the DNS record that proves who owns the domain'),
  mx: z
    .object({
      expected: z.array(z.string()).describe('hosts that mail should go to'),
      found: z.array(z.string()).describe('hosts that it goes to, best first'),
      isOk: z.boolean().describe('whether mail comes here'),
    })
    .optional()
    .describe('where its mail goes, and where it must go to be received here'),
});
export type InboundDomainStatus = z.infer<typeof InboundDomainStatus>;

export const ApiTokenSpec = z
  .object({
    accountRef: AccountRef,
    name: z
      .string()
      .min(1)
      .max(TOKEN_NAME_MAX_CHARS)
      .optional()
      .describe('default: the name of this resource'),
    environment: ResourceEnvironment,
    permissions: z
      .array(Permission)
      .min(1)
      .optional()
      .meta({ description: 'default all', 'x-kubernetes-list-type': 'set' }),
    secretName: SecretName.optional().describe(
      'Secret that gets the token; default: the name of this resource with -token',
    ),
  })
  .meta(rules(...immutable('secretName')));
export type ApiTokenSpec = z.infer<typeof ApiTokenSpec>;

export const ApiTokenStatus = z.object({
  ...commonStatus,
  id: z.string().optional().describe('as the API shows it'),
  prefix: z.string().optional().describe('leading part of the token, for identification'),
  secretName: z.string().optional().describe('the Secret that the operator wrote'),
});
export type ApiTokenStatus = z.infer<typeof ApiTokenStatus>;

type Column = { name: string; path: string; type?: 'string' | 'date'; isWide?: boolean };
type Kind = {
  plural: string;
  shortName: string;
  about: string;
  spec: z.ZodObject;
  status: z.ZodObject;
  columns: readonly Column[];
};

const condition = (type: string, field: string) =>
  `.status.conditions[?(@.type=="${type}")].${field}`;
const READY: readonly Column[] = [
  { name: 'Ready', path: condition('Ready', 'status') },
  { name: 'Reason', path: condition('Ready', 'reason'), isWide: true },
  { name: 'Age', path: '.metadata.creationTimestamp', type: 'date' },
];

export const KINDS = {
  Account: {
    plural: 'accounts',
    shortName: 'iacc',
    about: 'a customer of the platform',
    spec: AccountSpec,
    status: AccountStatus,
    columns: [
      { name: 'Email', path: '.spec.email' },
      { name: 'Plan', path: '.spec.plan' },
      { name: 'Id', path: '.status.id', isWide: true },
      ...READY,
    ],
  },
  InboundAddress: {
    plural: 'inboundaddresses',
    shortName: 'iaddr',
    about: 'an address whose mail becomes webhooks',
    spec: InboundAddressSpec,
    status: InboundAddressStatus,
    columns: [
      { name: 'Address', path: '.status.address' },
      { name: 'URL', path: '.spec.webhookUrl' },
      { name: 'Secret', path: '.status.secretName', isWide: true },
      ...READY,
    ],
  },
  InboundDomain: {
    plural: 'inbounddomains',
    shortName: 'idom',
    about: "a customer's own domain",
    spec: InboundDomainSpec,
    status: InboundDomainStatus,
    columns: [
      { name: 'Domain', path: '.spec.domain' },
      { name: 'Verified', path: condition('Verified', 'status') },
      ...READY,
    ],
  },
  ApiToken: {
    plural: 'apitokens',
    shortName: 'itok',
    about: 'a token for the API, kept in a Secret',
    spec: ApiTokenSpec,
    status: ApiTokenStatus,
    columns: [
      { name: 'Prefix', path: '.status.prefix' },
      { name: 'Environment', path: '.spec.environment' },
      { name: 'Secret', path: '.status.secretName' },
      ...READY,
    ],
  },
} as const satisfies Record<string, Kind>;
export type KindName = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as KindName[];
