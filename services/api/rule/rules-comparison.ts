/**
 * Evaluates rules on the last emails, and compares the result with what was decided when they
 * arrived. Nothing is stored or sent.
 */
import { z } from 'zod';

import type { Accounts } from '../../adapters/mongo/account/accounts.ts';
import type { Addresses } from '../../adapters/mongo/address/addresses.ts';
import type { Deliveries } from '../../adapters/mongo/delivery/deliveries.ts';
import type { ReplayStore } from '../../adapters/stream/replay.ts';
import type { AddressCaller } from '../../core/token/token.ts';
import type { AddressScope } from '../../core/address/scope.ts';
import { refusingFields } from '../../core/address/recipient.ts';
import { type Rule, RulesRequest } from '../../core/address/rule.ts';
import { describeSchema, EXAMPLE, exampleOf } from '../../core/api-reference.ts';
import { notFound } from '../../core/app-error.ts';
import type { Delivery } from '../../core/delivery/delivery.ts';
import { DeliveryListItem, deliveryItem } from '../../core/delivery/delivery-view.ts';
import { EvaluatedRule } from '../../core/delivery/ruling.ts';
import {
  countRules,
  isSameDecision,
  pastDecision,
  type RulesDecision,
} from '../../core/rule/comparison.ts';
import { firstSeenAt } from '../../core/rule/known-author.ts';
import type { RuleOutcome, RulesOfRecipient } from '../../core/rule/rules.ts';
import { cutPayload } from '../../core/webhook/email-view.ts';
import type { ListsInUse } from '../../platform/list/lists-of-expressions.ts';
import type { ContentThread } from '../content/content-thread.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { RecordId } from '../http/input/record-id.ts';
import { checkRules } from '../http/input/rules-field.ts';
import { type Connection, type Slots, STREAM_BYTES } from '../http/limits/slots.ts';
import { readPayload } from '../content/stored-email.ts';
import { readFor } from './email-under-test.ts';

const EMAILS_MAX = 100;
/** Emails of an account are among the deliveries to further receivers: so many pages are read. */
const PAGES_MAX = 5;
/** Large emails take long to read. The response says how many were not reached. */
const READ_FOR_MS = 10_000;

/** A client that has disconnected does not free the slot of its request. */
const UNTIL_IT_ENDS = { onClose: () => undefined };

const Decision = z.object({
  action: z.enum(['refuse', 'drop', 'hold', 'deliver', 'later']),
  tags: z.array(z.string()),
});

const ComparedEmail = DeliveryListItem.pick({
  event_id: true,
  address_id: true,
  from: true,
  subject: true,
  received_at: true,
}).extend({
  before: Decision.describe(
    'what rules decided when it arrived; refuse: another recipient accepted it, so it was held, or as ' +
      'spam delivered',
  ),
  after: Decision.describe(
    'what these rules would decide, with the present fields of the address; later: 451, because a ' +
      'rule asks for sender, and DNS did not answer when the email arrived',
  ),
  is_changed: z.boolean().describe('whether the two differ'),
});

const RulesComparison = z.object({
  tested: z.int().describe('emails in data'),
  changed: z.int().describe('of these, how many the rules would treat differently'),
  not_stored: z.int().describe('emails that are no longer stored, so that nothing was evaluated'),
  not_reached: z.int().describe('emails for which there was no time, because others are large'),
  rules: z
    .array(
      EvaluatedRule.omit({ result: true }).extend({
        evaluated: z.int().describe('emails that reached this rule'),
        matched: z.int(),
        failed: z.int(),
        error: z.string().nullable().describe('of the first email on which it failed'),
      }),
    )
    .describe('that at least one email reached, in their order'),
  data: z.array(ComparedEmail).describe('newest first'),
});
const { event_id, address_id, from, subject, received_at } = exampleOf(DeliveryListItem);
describeSchema(RulesComparison, 'RulesComparison', {
  tested: 1,
  changed: 1,
  not_stored: 0,
  not_reached: 0,
  rules: [
    {
      name: 'unknown sender',
      scope: 'address',
      action: 'hold',
      error: null,
      evaluated: 1,
      matched: 1,
      failed: 0,
    },
  ],
  data: [
    {
      event_id,
      address_id,
      from,
      subject,
      received_at,
      before: { action: 'deliver', tags: [] },
      after: { action: 'hold', tags: [] },
      is_changed: true,
    },
  ],
});

type RulesComparisonDependencies = {
  deliveries: Pick<Deliveries, 'page' | 'findAll'>;
  store: Pick<ReplayStore, 'payload'>;
  downloads: Slots;
  /** How many requests of this kind an account can have in progress. */
  comparisons: Slots;
  listsInUse: ListsInUse;
  accounts: Pick<Accounts, 'find'>;
  addresses: Pick<Addresses, 'find'>;
  content: ContentThread;
  clock: () => Date;
};

type RuleSets = { account: readonly Rule[] | undefined; address: readonly Rule[] | undefined };
type Evaluated = { delivery: Delivery; outcome: RuleOutcome };

export function rulesComparison(dependencies: RulesComparisonDependencies): Endpoint {
  const {
    deliveries,
    store,
    downloads,
    comparisons,
    listsInUse,
    accounts,
    addresses,
    content,
    clock,
  } = dependencies;

  /** The newest emails, each once, although it may have gone to several receivers. */
  const newest = async (
    scope: AddressScope,
    addressId: string | undefined,
    last: number,
  ): Promise<Delivery[]> => {
    const filter = addressId === undefined ? {} : { receiver_ids: [addressId] };
    const ids: string[] = [];
    for (let page = 0; page < PAGES_MAX && ids.length < last; page++) {
      const request = { limit: EMAILS_MAX, offset: page * EMAILS_MAX };
      const { items } = await deliveries.page(scope, filter, request);
      ids.push(...items.filter(({ email }) => email === undefined).map((one) => one.event_id));
      if (items.length < EMAILS_MAX) break;
    }
    return deliveries.findAll(scope, ids.slice(0, last));
  };

  /** Reads an address once. Without rules in `sets`, its present ones; in any case its fields. */
  const createRulesFor = async (caller: AddressCaller, sets: RuleSets, now: Date) => {
    const settings = (await accounts.find(caller.account_id))?.settings;
    const account = sets.account ?? settings?.rules ?? [];
    const known = new Map<string, RulesOfRecipient>();
    return async (addressId: string): Promise<RulesOfRecipient> => {
      const before = known.get(addressId);
      if (before) return before;
      const address = await addresses.find(caller, addressId, now);
      const rules = {
        account,
        address: sets.address ?? address?.rules ?? [],
        fields: refusingFields(address, settings),
      };
      known.set(addressId, rules);
      return rules;
    };
  };

  const evaluateEach = async (
    emails: readonly Delivery[],
    sets: RuleSets,
    { caller, connection, now }: { caller: AddressCaller; connection: Connection; now: Date },
  ) => {
    const rulesFor = await createRulesFor(caller, sets, now);
    const evaluated: Evaluated[] = [];
    let notStored = 0;
    let notReached = 0;
    const until = clock().getTime() + READ_FOR_MS;
    using download = downloads.take(connection.source, connection, STREAM_BYTES);
    for (const delivery of emails) {
      if (clock().getTime() > until) {
        notReached++;
        continue;
      }
      const payload = await store.payload(delivery);
      if (payload === undefined) {
        notStored++;
        continue;
      }
      const rules = await rulesFor(delivery.address_id);
      const expressions = [...rules.account, ...rules.address].map(({ when }) => when);
      const chunks = cutPayload(payload.chunks, readFor(expressions));
      const email = {
        payload: await readPayload(chunks, download),
        firstSeen: firstSeenAt(delivery),
      };
      const lists = await listsInUse(caller.account_id, expressions);
      evaluated.push({
        delivery,
        outcome: await content.run('testRules', { email, rules, lists }),
      });
    }
    return { evaluated, notStored, notReached };
  };

  return defineEndpoint({
    method: 'POST',
    path: '/rules/compare',
    operationId: 'compareRules',
    isSearch: true,
    summary: 'Compare what rules would decide about the last emails with what was decided',
    permission: 'deliveries:read',
    reach: 'limited',
    example: {
      request: {
        address_id: EXAMPLE.address_id,
        last: EMAILS_MAX,
        rules: [{ name: 'unknown sender', when: '!(sender in lists.partners)', action: 'hold' }],
      },
    },
    errors: ['not_found'],
    body: z.strictObject({
      rules: RulesRequest.optional().describe(
        'of the address, instead of its own; default: its present ones',
      ),
      account_rules: RulesRequest.optional().describe(
        'of the account, instead of its own; default: its present ones',
      ),
      address_id: RecordId.optional().describe(
        'only emails of this address; default: those of all addresses',
      ),
      last: z
        .int()
        .min(1)
        .max(EMAILS_MAX)
        .default(EMAILS_MAX)
        .describe('how many of the newest emails; refused emails were never stored'),
    }),
    response: RulesComparison,
    handle: async ({ body, ...request }) => {
      const { caller, now } = request;
      checkRules('rules', body.rules);
      checkRules('account_rules', body.account_rules);
      using _slot = comparisons.take(caller.account_id, UNTIL_IT_ENDS);
      if (body.address_id !== undefined && !(await addresses.find(caller, body.address_id, now)))
        throw notFound('address');
      const emails = await newest(caller, body.address_id, body.last);
      const sets = { account: body.account_rules, address: body.rules };
      const { evaluated, notStored, notReached } = await evaluateEach(emails, sets, request);
      const data = evaluated.map(compared);
      return {
        tested: data.length,
        changed: data.filter(({ is_changed: isChanged }) => isChanged).length,
        not_stored: notStored,
        not_reached: notReached,
        rules: countRules(evaluated.map(({ outcome }) => outcome.trace)),
        data,
      };
    },
  });
}

function compared({ delivery, outcome }: Evaluated) {
  const before = pastDecision(delivery);
  const after: RulesDecision = outcome;
  return {
    ...deliveryItem(delivery),
    before,
    after: { action: after.action, tags: after.tags },
    is_changed: !isSameDecision(before, after),
  };
}
