/** Tries rules on a stored email or on one in the request. Nothing is stored or sent (D55). */
import { z } from 'zod';

import type { Accounts } from '../../adapters/mongo/account/accounts.ts';
import type { Addresses } from '../../adapters/mongo/address/addresses.ts';
import type { AddressCaller } from '../../core/token/token.ts';
import { refusingFields } from '../../core/address/recipient.ts';
import { RulesRequest } from '../../core/rule/rule.ts';
import { describeSchema, EXAMPLE, exampleOf } from '../../core/resource/api-reference.ts';
import { notFound } from '../../core/error/app-error.ts';
import { addressIdOfEvent } from '../../core/delivery/mail-event.ts';
import { Ruling } from '../../core/delivery/ruling.ts';
import type { ListsInUse } from '../../platform/list/lists-of-expressions.ts';
import type { ContentThread } from '../content/content-thread.ts';
import { defineEmailEndpoint, type Endpoint } from '../http/endpoint.ts';
import { RecordId } from '../http/input/record-id.ts';
import { compiled } from '../http/input/expression-field.ts';
import {
  emailFields,
  ONE_EMAIL,
  type ReadEmailUnderTest,
  TEST_BODY_MAX_BYTES,
} from './email-under-test.ts';

const RulesTest = Ruling.omit({ action: true, reason: true }).extend({
  action: z
    .enum(['refuse', 'drop', 'hold', 'deliver', 'later'])
    .describe(
      'of the first rule that matched, except tag; deliver without one; later: 451, because a rule ' +
        'asks for sender, and DNS did not answer when the email arrived',
    ),
  tags: z.array(z.string()).describe('that rules added'),
  warnings: z
    .array(z.string())
    .describe('what differs from a received email, and what expressions do not see of this one'),
});
describeSchema(RulesTest, 'RulesTest', {
  action: 'hold',
  tags: [],
  rules: exampleOf(Ruling).rules,
  facts: exampleOf(Ruling).facts,
  warnings: [],
});

type RulesEndpointDependencies = {
  readEmailUnderTest: ReadEmailUnderTest;
  listsInUse: ListsInUse;
  accounts: Pick<Accounts, 'find'>;
  addresses: Pick<Addresses, 'find'>;
  content: ContentThread;
};

export function rulesEndpoint({
  readEmailUnderTest,
  listsInUse,
  accounts,
  addresses,
  content,
}: RulesEndpointDependencies): Endpoint {
  /** Undefined without an id, and when the address no longer exists. */
  const addressAt = async (caller: AddressCaller, id: string | undefined, now: Date) =>
    id === undefined ? undefined : addresses.find(caller, id, now);

  return defineEmailEndpoint({
    call: 'POST /rules/test',
    operationId: 'testRules',
    summary: 'Try the present rules, or others, on a stored email or on one in the request',
    permission: 'deliveries:read',
    reach: 'limited',
    example: {
      request: {
        event_id: EXAMPLE.event_id,
        rules: [{ name: 'unknown sender', when: '!(sender in lists.partners)', action: 'hold' }],
      },
    },
    errors: ['not_found'],
    bodyMaxBytes: TEST_BODY_MAX_BYTES,
    body: z
      .strictObject({
        rules: compiled(RulesRequest)
          .optional()
          .describe(
            "of the address, instead of its own; default: its present ones. The account's come " +
              'first in any case',
          ),
        account_rules: compiled(RulesRequest)
          .optional()
          .describe('of the account, instead of its own; default: its present ones'),
        address_id: RecordId.optional().describe(
          'whose present rules are meant; default: the address of event_id, or none',
        ),
        ...emailFields,
      })
      .meta(ONE_EMAIL),
    response: RulesTest,
    shows: { part: 'condition', emailOf: ({ body }) => body.event_id },
    handle: async ({ body, ...call }) => {
      const { caller, now } = call;
      const { rules, account_rules, address_id, ...source } = body;
      const named = await addressAt(caller, address_id, now);
      if (address_id !== undefined && named === undefined) throw notFound('address');
      const { email, delivery, warnings } = await readEmailUnderTest(source, call);
      const account = await accounts.find(caller.account_id);
      const address =
        named ?? (await addressAt(caller, delivery && addressIdOfEvent(delivery), now));
      const requested = {
        account: account_rules ?? account?.settings.rules ?? [],
        address: rules ?? address?.rules ?? [],
        fields: refusingFields(address, account?.settings),
      };
      const expressions = [...requested.account, ...requested.address].map(({ when }) => when);
      const lists = await listsInUse(caller.account_id, expressions);
      const outcome = await content.run(caller.account_id, 'testRules', {
        email,
        rules: requested,
        lists,
      });
      return {
        action: outcome.action,
        tags: outcome.tags,
        ...outcome.trace,
        warnings: [...warnings, ...outcome.warnings],
      };
    },
  });
}
