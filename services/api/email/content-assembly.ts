/** Assembles the endpoints that read emails, or evaluate expressions over them. */
import type { Stores } from '../../adapters/mongo/stores.ts';
import type { ApiStore } from '../content/store-for-api.ts';
import { createListsInUse } from '../../platform/list/lists-of-expressions.ts';
import type { ContentThread } from '../content/content-thread.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Slots } from '../http/limits/slots.ts';
import { emailEndpoints } from './email-endpoints.ts';
import { expressionEndpoint } from '../rule/expression-endpoint.ts';
import { rulesEndpoint } from '../rule/rules-endpoint.ts';
import { createEmailUnderTest } from '../rule/email-under-test.ts';

type ContentEndpointDependencies = Pick<
  Stores,
  'accounts' | 'addresses' | 'deliveries' | 'senderLists' | 'target'
> & {
  store: Pick<ApiStore, 'payload'>;
  downloads: Slots;
  content: ContentThread;
  clock: () => Date;
};

export function contentEndpoints(dependencies: ContentEndpointDependencies): Endpoint[] {
  const readEmailUnderTest = createEmailUnderTest(dependencies);
  const listsInUse = createListsInUse(dependencies.senderLists.entriesOf);
  return [
    ...emailEndpoints(dependencies),
    expressionEndpoint({ ...dependencies, readEmailUnderTest, listsInUse }),
    rulesEndpoint({ ...dependencies, readEmailUnderTest, listsInUse }),
  ];
}
