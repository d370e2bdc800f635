/** Addresses with their receivers, secrets, reply addresses and sender lists. */
import type { Stores } from '../adapters/mongo/stores.ts';
import type { Log } from '../adapters/process/log.ts';
import type { Nats } from '../adapters/stream/connection/connection.ts';
import { createAddressOperations } from '../platform/address/address-operations.ts';
import { type createAddressAnnouncer, createAnnouncements } from '../platform/address-directory.ts';
import type { Audit } from '../platform/audit.ts';
import { createSenderListOperations } from '../platform/list/sender-list-operations.ts';
import { createReceiverOperations } from '../platform/receiver/receiver-operations.ts';
import { addressEndpoints } from './address/address-endpoints.ts';
import { replyEndpoints } from './address/reply-endpoints.ts';
import type { Endpoint } from './http/endpoint.ts';
import { listEndpoints } from './list/list-endpoints.ts';
import type { ApiConfig } from './process/config.ts';
import { createOneReceivers } from './receiver/one-receiver.ts';
import { receiverEndpoints } from './receiver/receiver-endpoints.ts';
import { receiverKeysEndpoint } from './receiver/receiver-keys-endpoint.ts';
import { webhookSecretEndpoint } from './receiver/webhook-secret-endpoint.ts';
import type { TestWebhook } from './receiver/webhook-tests.ts';

type AddressDependencies = {
  stores: Stores;
  nats: Nats;
  announce: ReturnType<typeof createAddressAnnouncer>;
  audit: Audit;
  testWebhook: TestWebhook;
};

export function assembleAddresses(
  config: ApiConfig,
  { stores, nats, announce, audit, testWebhook }: AddressDependencies,
  log: Log,
) {
  const { addresses, receivers, senderLists: lists, target } = stores;
  const announcements = createAnnouncements(nats, announce);
  const operations = createAddressOperations(
    { ...stores, audit, nats, announce, inboundDomain: config.INBOUND_DOMAIN },
    log,
  );
  const ofFurther = createReceiverOperations({ ...stores, announcements, audit });
  const one = createOneReceivers({ addresses, receivers, ofFirst: operations, ofFurther });
  const webhooks = {
    target,
    testWebhook,
    allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
    offersFiles: config.LINK_KEYS !== undefined,
  };
  const canReply = config.REPLY_KEYS !== undefined;
  const endpoints: Endpoint[] = [
    ...addressEndpoints({ ...webhooks, operations, addresses, canReply }),
    webhookSecretEndpoint({ addresses, target, audit }),
    ...replyEndpoints({ operations, addresses, keys: config.REPLY_KEYS ?? [], audit }),
    ...receiverEndpoints({ ...webhooks, operations: ofFurther, one, audit }),
    receiverKeysEndpoint({ target }),
    ...listEndpoints({
      lists,
      operations: createSenderListOperations({ lists, announcements, audit }),
    }),
  ];
  return { endpoints, one };
}
