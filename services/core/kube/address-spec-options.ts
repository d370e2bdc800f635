/** What an InboundAddress asks for besides its name, receiver and payload, as a record has it. */
import { Expectation } from '../expectation.ts';
import { fromSpec } from '../resource/spec.ts';
import { ADDRESS_FIELDS } from '../address/address-fields.ts';
import { storedLabels } from '../address/labels.ts';
import {
  type StoredAllowedAttachments,
  storedAllowedAttachments,
} from '../mail/allowed-attachments.ts';
import { type StoredAllowedSenders, storedAllowedSenders } from '../mail/allowed-senders.ts';
import { repliesOf } from './address-replies.ts';
import type { InboundAddressSpec } from './spec/address-spec.ts';

export const optionsOf = (spec: InboundAddressSpec) => ({
  ...fromSpec(ADDRESS_FIELDS, spec),
  allowed_senders: allowedSendersOf(spec),
  allowed_attachments: allowedAttachmentsOf(spec),
  labels: storedLabels(spec.labels ?? {}),
  expect: spec.expect ? Expectation.parse(spec.expect) : null,
  ...repliesOf(spec),
});

const allowedSendersOf = ({
  allowedSenders: asked,
}: InboundAddressSpec): StoredAllowedSenders | null =>
  asked
    ? storedAllowedSenders({
        senders: asked.senders,
        require_authenticated: asked.requireAuthenticated,
        accept_forwarded: asked.acceptForwarded,
      })
    : null;

const allowedAttachmentsOf = ({
  allowedAttachments: asked,
}: InboundAddressSpec): StoredAllowedAttachments | null =>
  asked ? storedAllowedAttachments({ types: asked.types, max_bytes: asked.maxBytes }) : null;
