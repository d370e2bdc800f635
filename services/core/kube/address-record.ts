/** The options of an InboundAddress in the form of its record. */
import { type StoredAllowedSenders, storedAllowedSenders } from '../mail/allowed-senders.ts';
import { repliesOf } from './address-replies.ts';
import type { InboundAddressSpec } from './spec/address-spec.ts';

/** Besides those of the payload, and the hook. */
export const optionsOf = (spec: InboundAddressSpec) => ({
  spam_refuse_above: spec.spamRefuseAbove ?? null,
  allowed_senders: allowedSendersOf(spec),
  refuse_infected: spec.refuseInfected ?? null,
  rules: spec.rules ?? [],
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
