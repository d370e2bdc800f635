/** Tries an expression on a stored email or on one in the request. Nothing is stored or sent. */
import { z } from 'zod';

import { ExpressionText } from '../../core/text/expression-text.ts';
import { describeSchema, EXAMPLE } from '../../core/resource/api-reference.ts';
import type { ListsInUse } from '../../platform/list/lists-of-expressions.ts';
import type { ContentThread } from '../content/content-thread.ts';
import { defineEmailEndpoint, type Endpoint } from '../http/endpoint.ts';
import { compiled } from '../http/input/expression-field.ts';
import {
  emailFields,
  ONE_EMAIL,
  type ReadEmailUnderTest,
  TEST_BODY_MAX_BYTES,
} from './email-under-test.ts';
import { orNull } from '../../core/resource/described.ts';

const ExpressionTest = z.object({
  result: orNull(z.boolean(), 'value of the expression; null when it failed at run time'),
  error: z
    .object({
      message: z.string(),
      position: z.int().describe('place in the expression, in characters from 0'),
    })
    .nullable()
    .describe('why it failed, for example because a header is missing; null when it did not'),
  warnings: z
    .array(z.string())
    .describe('what differs from a received email, and what expressions do not see of this one'),
});
describeSchema(ExpressionTest, 'ExpressionTest', { result: true, error: null, warnings: [] });

type ExpressionEndpointDependencies = {
  readEmailUnderTest: ReadEmailUnderTest;
  listsInUse: ListsInUse;
  content: ContentThread;
};

export const expressionEndpoint = ({
  readEmailUnderTest,
  listsInUse,
  content,
}: ExpressionEndpointDependencies): Endpoint =>
  defineEmailEndpoint({
    call: 'POST /expressions/test',
    operationId: 'testExpression',
    summary: 'Try an expression on a stored email, or on one in the request',
    permission: 'deliveries:read',
    reach: 'limited',
    example: {
      request: {
        when: 'from.domain == "sender.example" && subject.startsWith("Order")',
        event_id: EXAMPLE.event_id,
      },
    },
    errors: ['not_found'],
    bodyMaxBytes: TEST_BODY_MAX_BYTES,
    body: z
      .strictObject({
        when: compiled(ExpressionText).describe(
          'expression in CEL; docs/filters.md lists its variables and functions',
        ),
        ...emailFields,
      })
      .meta(ONE_EMAIL),
    response: ExpressionTest,
    shows: { part: 'condition', emailOf: ({ body }) => body.event_id },
    handle: async ({ body: { when, ...source }, ...call }) => {
      const { email, warnings } = await readEmailUnderTest(source, call);
      const { account_id } = call.caller;
      const lists = await listsInUse(account_id, [when]);
      const tested = await content.run(account_id, 'testExpression', { email, when, lists });
      return {
        result: tested.value,
        error: tested.error,
        warnings: [...warnings, ...tested.warnings],
      };
    },
  });
