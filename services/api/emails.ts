/**
 * Emails: their deliveries, contents, files, replays and erasure, what is held, what was refused, and
 * tests of expressions over them.
 */
import type { Stores } from '../adapters/mongo/stores.ts';
import { createSubmission } from '../adapters/smtp/lmtp-client.ts';
import { createListsInUse } from '../platform/list/lists-of-expressions.ts';
import type { Audit } from '../platform/audit.ts';
import type { ContentThread } from './content/content-thread.ts';
import type { ApiStore } from './content/store-for-api.ts';
import { deliveryEndpoints } from './delivery/delivery-endpoints.ts';
import { heldEndpoints } from './delivery/held-endpoints.ts';
import { createReceiverFilter } from './delivery/receiver-filter.ts';
import { replayEndpoints } from './delivery/replay-endpoints.ts';
import { createReplays } from './delivery/replays.ts';
import { createTermsOf } from './delivery/search-fields.ts';
import { createEmailDeliveries } from './email/email-deliveries.ts';
import { emailEndpoints } from './email/email-endpoints.ts';
import { erasureEndpoint } from './email/erasure-endpoint.ts';
import type { Endpoint } from './http/endpoint.ts';
import type { Slots } from './http/limits/slots.ts';
import { intakeEndpoint } from './intake/intake-endpoint.ts';
import type { ApiConfig } from './process/config.ts';
import type { ApiConstants } from './process/constants.ts';
import { refusalEndpoints } from './refusal/refusal-endpoints.ts';
import { createEmailUnderTest } from './rule/email-under-test.ts';
import { expressionEndpoint } from './rule/expression-endpoint.ts';
import { rulesEndpoint } from './rule/rules-endpoint.ts';

type EmailDependencies = {
  stores: Stores;
  store: ApiStore;
  audit: Audit;
  downloads: Slots;
  content: ContentThread;
  clock: () => Date;
};

export function assembleEmails(
  config: ApiConfig,
  { replaysPerSecond: rate }: ApiConstants,
  { stores, store, audit, downloads, content, clock }: EmailDependencies,
): Endpoint[] {
  const { deliveries, receivers, target } = stores;
  const receiversOf = createReceiverFilter(receivers);
  const emailDeliveries = createEmailDeliveries({ deliveries, receivers });
  const termsOf = createTermsOf(stores.accounts, config.SEARCH_BODIES > 0);
  const replays = createReplays({ deliveries, store, rate, clock });
  const ofContents = { ...stores, store, downloads, content, clock };
  const ofExpressions = {
    ...ofContents,
    readEmailUnderTest: createEmailUnderTest(ofContents),
    listsInUse: createListsInUse(stores.senderLists.entriesOf),
  };
  return [
    ...deliveryEndpoints({ ...stores, store, downloads, receiversOf, termsOf, emailDeliveries }),
    ...replayEndpoints({ replays, store, audit, receiversOf, termsOf, target }, config),
    ...heldEndpoints({ ...stores, emailDeliveries, replays, audit }),
    intakeEndpoint({ ...stores, submit: createSubmission(config.INTAKE_LMTP) }),
    erasureEndpoint({ ...stores, emailDeliveries, store, audit }),
    ...refusalEndpoints({ ...stores, audit }),
    ...emailEndpoints(ofContents),
    expressionEndpoint(ofExpressions),
    rulesEndpoint(ofExpressions),
  ];
}
