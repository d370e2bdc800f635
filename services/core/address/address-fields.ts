/**
 * The settings of an address, each written once: as it is stored, shown, created, changed, asked for
 * by an InboundAddress, and read at RCPT. Its name, its lifetime, the keys of its reply addresses and
 * the settings of its first receiver are in address.ts. docs/architecture.md shows how one is added.
 */
import { z } from 'zod';

import { Redact, RetentionHours } from './content-settings.ts';
import { Expectation, ExpectationRequest } from './expectation.ts';
import {
  AllowedAttachments,
  StoredAllowedAttachments,
  storedAllowedAttachments,
} from '../mail/allowed-attachments.ts';
import {
  AllowedSenders,
  StoredAllowedSenders,
  storedAllowedSenders,
} from '../mail/allowed-senders.ts';
import { SPAM_SCORE_MAX } from '../mail/spam.ts';
import { description, descriptionText } from '../resource/description.ts';
import type { Fields } from '../resource/field.ts';
import { later, objectSetting, setting, withDefault } from '../resource/field-kinds.ts';
import { Timestamp } from '../time/timestamp.ts';
import { Hook, hookRequest } from '../hook/hook.ts';
import { Labels, storedLabels } from './labels.ts';
import { PayloadSettings, SPEC_PAYLOAD } from '../receiver/payload-settings.ts';
import { Rules, RulesRequest } from '../rule/rule.ts';
import { optional } from '../resource/described.ts';

/** The highest `max_per_hour`. */
const PER_HOUR_MAX = 1_000_000;

const labels = Labels.transform(storedLabels)
  .optional()
  .describe(
    'key-value pairs, by which lists and tokens choose addresses; replaces all of them; default: none',
  );
const rules = RulesRequest.optional().describe(
  "rules for its email, evaluated in their order after the account's; default: none",
);

export const ADDRESS_FIELDS = {
  description: {
    ...description,
    create: descriptionText.optional(),
    change: description.change.describe('free text; null for none'),
    example: 'Orders of the web shop',
  },
  /** Requests and resources may have a part of it: see the bodies and the spec. */
  payload: {
    record: PayloadSettings.optional(),
    view: PayloadSettings,
    default: SPEC_PAYLOAD,
    example: SPEC_PAYLOAD,
  },
  spam_refuse_above: {
    ...setting(
      z.number().min(0).max(SPAM_SCORE_MAX),
      'spam score above which an email is refused with 550 5.7.1 after DATA, unless another ' +
        'recipient accepts it',
      'never',
    ),
    atRcpt: true,
  },
  allowed_senders: {
    ...objectSetting(
      StoredAllowedSenders,
      AllowedSenders.nullable().transform(
        (requested) => requested && storedAllowedSenders(requested),
      ),
      'whose email the address accepts; other email is refused with 550 5.7.1 after DATA',
      'everybody',
    ),
    atRcpt: true,
  },
  refuse_infected: setting(
    z.boolean(),
    'whether an email that contains malware is refused with 550 5.7.1 after DATA, unless another ' +
      'recipient accepts it: then it is held',
    "the account's",
  ),
  allowed_attachments: {
    ...objectSetting(
      StoredAllowedAttachments,
      z
        .strictObject(AllowedAttachments.shape)
        .nullable()
        .transform((requested) => requested && storedAllowedAttachments(requested)),
      'which attachments the address accepts; others are refused after DATA, with 550 5.7.1 for ' +
        'the type and 552 5.2.3 for the size, unless another recipient accepts the email',
      'all',
    ),
    atRcpt: true,
  },
  max_per_hour: {
    ...setting(
      z.int().min(1).max(PER_HOUR_MAX),
      'emails that the address accepts in an hour; above, senders get 450 4.7.1 and try again',
      'no limit',
    ),
    atRcpt: true,
  },
  labels: {
    record: optional(z.array(z.string()), 'key=value, sorted: see labels.ts; absent for none'),
    view: Labels.describe('key-value pairs, by which lists and tokens choose addresses'),
    create: labels,
    change: labels,
    spec: Labels.optional().describe(
      'key-value pairs, by which lists and ApiToken resources choose addresses; when absent, none',
    ),
    default: [],
    example: { team: 'shop' },
  },
  rules: {
    record: Rules.optional().describe("after the account's; absent for none"),
    view: Rules.describe("evaluated in their order, after the account's: see docs/rules.md"),
    create: rules,
    change: rules,
    spec: Rules.optional().describe(
      "rules for its email, evaluated in their order, after the account's",
    ),
    default: [],
    example: [],
    atRcpt: true,
  },
  /** Requests check its URL by settings: see the bodies. */
  hook: objectSetting(
    Hook,
    hookRequest(z.string()).nullable(),
    'asked about each email before the reply to its sender: see docs/deciding-hooks.md',
    "the account's",
  ),
  expect: objectSetting(
    Expectation,
    ExpectationRequest.nullable(),
    'email that the address expects: its absence is an address.silent event',
    'none',
  ),
  expect_since: {
    record: z.date().optional().describe('see ExpectationState; absent before the first one'),
  },
  silent_at: { record: z.date().nullable().optional() },
  silent_since: {
    record: z.date().nullable().optional(),
    view: Timestamp.nullable().describe(
      'when Inlet noticed that the expected email is absent; null while it arrives',
    ),
    example: null,
  },
  /** Requests may turn them on only if REPLY_KEYS are configured (D57). */
  reply_addresses: {
    ...later(
      withDefault(
        z.boolean(),
        'whether signed reply addresses of this address are checked: see docs/reply-addresses.md',
        false,
      ),
    ),
    spec: undefined,
    example: false,
  },
  reply_only: {
    ...later(
      withDefault(
        z.boolean(),
        'true: email to other than its valid reply addresses is refused with 550 5.1.1; turns ' +
          'reply_addresses on',
        false,
      ),
    ),
    spec: undefined,
    example: false,
  },
  retention_hours: setting(
    RetentionHours.unwrap(),
    'hours after its delivery that the content of an email is stored, at most as long as this ' +
      'installation stores it; 0: it is removed when delivered, which excludes links in the payload',
    "the account's",
    RetentionHours.unwrap(),
  ),
  redact: setting(
    Redact,
    'fields that records and events of new emails do not contain; webhooks contain them',
    "the account's",
    Redact,
  ),
} as const satisfies Fields;
