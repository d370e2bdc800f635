/** What a payload is built from, for tests that build one without a gateway. */
import { NOT_CHECKED } from '../../services/core/mail/spam.ts';
import type { PayloadFacts } from '../../services/core/webhook/build-payload.ts';
import { NOTHING_READ, type ParsedMail } from '../../services/core/webhook/payload.ts';

/** By default an email without content, received at 12:00:00.9 and ready 200 ms later. */
export const payloadFacts = (changes: Partial<PayloadFacts> = {}): PayloadFacts => ({
  eventId: 'evt_1',
  addressId: 'addr_1',
  envelope: {
    mailFrom: 'ann@sender.example',
    heloDomain: 'mx.sender.example',
    remoteIp: '192.0.2.7',
  },
  named: ['box@in.example'],
  rcptTo: ['box@in.example'],
  mail: NOTHING_READ,
  sizeBytes: 1234,
  spam: NOT_CHECKED,
  receivedAt: new Date('2026-03-01T12:00:00.900Z'),
  now: new Date('2026-03-01T12:00:01.100Z'),
  ...changes,
});

export const mailWith = (mail: Partial<ParsedMail>): ParsedMail => ({ ...NOTHING_READ, ...mail });
