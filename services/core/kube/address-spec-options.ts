/** The options of an InboundAddress as a record stores them: all but its name, receiver and payload. */
import { ADDRESS_FIELDS } from '../address/address-fields.ts';
import { storedLabels } from '../address/labels.ts';
import { Expectation } from '../address/expectation.ts';
import { AllowedAttachments, storedAllowedAttachments } from '../mail/allowed-attachments.ts';
import { AllowedSenders, storedAllowedSenders } from '../mail/allowed-senders.ts';
import { fromSpec } from '../resource/spec.ts';
import { repliesOf } from './address-replies.ts';
import type { InboundAddressSpec } from './spec/address-spec.ts';
import { recordFields } from './spec/spec-fields.ts';

export const optionsOf = (spec: InboundAddressSpec) => ({
  ...fromSpec(ADDRESS_FIELDS, spec),
  allowed_senders: spec.allowedSenders
    ? storedAllowedSenders(AllowedSenders.parse(recordFields(spec.allowedSenders)))
    : null,
  allowed_attachments: spec.allowedAttachments
    ? storedAllowedAttachments(AllowedAttachments.parse(recordFields(spec.allowedAttachments)))
    : null,
  labels: storedLabels(spec.labels ?? {}),
  expect: spec.expect ? Expectation.parse(spec.expect) : null,
  ...repliesOf(spec),
});
