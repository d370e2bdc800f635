/** What an InboundAddress asks for besides its name, receiver and payload, as a record has it. */
import { Expectation } from '../expectation.ts';
import { storedLabels } from '../address/labels.ts';
import {
  type StoredAllowedAttachments,
  storedAllowedAttachments,
} from '../mail/allowed-attachments.ts';
import { type StoredAllowedSenders, storedAllowedSenders } from '../mail/allowed-senders.ts';
import { repliesOf } from './address-replies.ts';
import type { InboundAddressSpec } from './spec/address-spec.ts';

export const optionsOf = (spec: InboundAddressSpec) => ({
  spam_refuse_above: spec.spamRefuseAbove ?? null,
  allowed_senders: allowedSendersOf(spec),
  refuse_infected: spec.refuseInfected ?? null,
  allowed_attachments: allowedAttachmentsOf(spec),
  max_per_hour: spec.maxPerHour ?? null,
  labels: storedLabels(spec.labels ?? {}),
  rules: spec.rules ?? [],
  expect: spec.expect ? Expectation.parse(spec.expect) : null,
  ...repliesOf(spec),
  retention_hours: spec.retentionHours ?? null,
  redact: spec.redact ?? null,
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
