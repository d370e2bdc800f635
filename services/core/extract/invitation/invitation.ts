/** Invitations to events, and the answers to them (RFC 5545, RFC 5546). Recurrences are not expanded. */
import { z } from 'zod';

import { describeSchema } from '../../resource/api-reference.ts';
import { Moment } from './moment.ts';

const text = z.string().nullable();

export const Person = z.object({
  address: z.string().describe('email address; another URI when it has none'),
  name: text,
});

export const Attendee = Person.extend({
  status: z
    .string()
    .describe('NEEDS-ACTION, ACCEPTED, DECLINED, TENTATIVE, DELEGATED or one of another program'),
  role: z.string().describe('REQ-PARTICIPANT, OPT-PARTICIPANT, NON-PARTICIPANT or CHAIR'),
});

export const Invitation = z.object({
  method: text.describe(
    'what the email asks for: REQUEST, REPLY, CANCEL …; null for an event without a request',
  ),
  uid: text.describe('the same in all emails about the event'),
  sequence: z.int().describe('grows with each revision of the event'),
  status: text.describe('TENTATIVE, CONFIRMED or CANCELLED'),
  organizer: Person.nullable(),
  attendees: z.array(Attendee).describe('of a REPLY, the one who answers'),
  attendees_left_out: z.int().describe('attendees beyond the first 200, which are left out'),
  summary: text,
  location: text,
  start: Moment.nullable(),
  end: Moment.nullable().describe('first time after the event: of a whole day, the next day'),
  recurrence: text.describe('RRULE, RDATE and EXDATE as iCalendar text, a line each'),
  recurrence_id: Moment.nullable().describe(
    'start of the occurrence that the email is about; null when it is about all of them',
  ),
  other_events: z.int().describe('further events of the calendar, which are left out'),
});
export type Invitation = z.infer<typeof Invitation>;

describeSchema(Invitation, 'ExtractedInvitation', {
  method: 'REQUEST',
  uid: '4711@calendar.example.com',
  sequence: 0,
  status: 'CONFIRMED',
  organizer: { address: 'ann@example.com', name: 'Ann' },
  attendees: [
    { address: 'bob@example.net', name: 'Bob', status: 'NEEDS-ACTION', role: 'REQ-PARTICIPANT' },
  ],
  attendees_left_out: 0,
  summary: 'Planning',
  location: 'Room 5',
  start: {
    local: '2026-12-01T10:00:00',
    time_zone: 'Europe/Berlin',
    utc: '2026-12-01T09:00:00Z',
    is_all_day: false,
  },
  end: {
    local: '2026-12-01T11:00:00',
    time_zone: 'Europe/Berlin',
    utc: '2026-12-01T10:00:00Z',
    is_all_day: false,
  },
  recurrence: 'RRULE:FREQ=WEEKLY;BYDAY=TU',
  recurrence_id: null,
  other_events: 0,
});
