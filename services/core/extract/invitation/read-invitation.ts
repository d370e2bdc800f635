/** Reads the event of an invitation from the calendars among the attachments. */
import type { z } from 'zod';

import {
  type CalendarComponent,
  type CalendarProperty,
  readCalendar,
  unfoldedBytes,
} from './calendar.ts';
import type { Unpack } from '../report/read-report.ts';
import type { Attendee, Invitation, Person } from './invitation.ts';
import { endAfter, momentOf } from './moment.ts';
import { cutText } from '../../text/text.ts';

type Attachment = {
  filename: string | null;
  contentType: string;
  method: string | null;
  /** Named by the part. */
  charset?: string | null;
  content: Uint8Array;
};

/** `isUnreadable`: there is a calendar, but it cannot be read. */
type FoundInvitation = { invitation: Invitation | null; isUnreadable: boolean };

/** The same event may come as an alternative of the text and as a file. */
const MAX_CALENDARS = 3;
const MAX_CALENDAR_BYTES = 4 * 1024 * 1024;
const MAX_ATTENDEES = 200;
const VALUE_MAX_CHARS = 1_000;
const RECURRENCE_MAX_CHARS = 8 * 1024;
const RECURRENCE = ['rrule', 'rdate', 'exdate'];

/** Some programs name a file alone, or a type of their own. */
const isCalendar = ({ contentType, filename }: Attachment): boolean =>
  /^(text\/calendar|application\/(x-)?ics|text\/ics)$/.test(contentType) ||
  /\.ics$/i.test(filename ?? '');

/** The event of the first calendar that asks for something, else of the first one. */
export function invitationOf(attachments: readonly Attachment[], unpack: Unpack): FoundInvitation {
  const calendars = attachments
    .filter(isCalendar)
    .slice(0, MAX_CALENDARS)
    .map(({ method, content, charset }) => ({
      method,
      calendar: readCalendar(
        unpack(content, MAX_CALENDAR_BYTES, { charset, prepare: unfoldedBytes }) ?? '',
      ),
    }));
  const invitations = calendars.flatMap(({ method, calendar }) =>
    calendar ? (eventOf(calendar, method) ?? []) : [],
  );
  const invitation = invitations.find(({ method }) => method !== null) ?? invitations[0] ?? null;
  return {
    invitation,
    isUnreadable: !invitation && calendars.some(({ calendar }) => calendar === undefined),
  };
}

const propertyOf = (component: CalendarComponent, name: string): CalendarProperty | undefined =>
  component.properties.find((property) => property.name === name);

const textOf = (component: CalendarComponent, name: string): string | null =>
  shortened(propertyOf(component, name)?.value ?? '') || null;

const shortened = (value: string): string => cutText(value, VALUE_MAX_CHARS).trim();

/** @param method of the Content-Type (RFC 6047 §2.4) */
function eventOf(calendar: CalendarComponent, method: string | null): Invitation | undefined {
  const events = calendar.components.filter(({ name }) => name === 'vevent');
  // The others are single occurrences that differ (RFC 5546 §3.2.2.1).
  const event = events.find((one) => !propertyOf(one, 'recurrence-id')) ?? events[0];
  if (event === undefined) return undefined;
  const attendees = event.properties.filter(({ name }) => name === 'attendee');
  const organizer = propertyOf(event, 'organizer');
  const start = momentOf(propertyOf(event, 'dtstart'), calendar);
  const sequence = Number(propertyOf(event, 'sequence')?.value);
  return {
    method: textOf(calendar, 'method')?.toUpperCase() ?? method,
    uid: textOf(event, 'uid'),
    sequence: Number.isSafeInteger(sequence) ? sequence : 0,
    status: textOf(event, 'status')?.toUpperCase() ?? null,
    organizer: organizer ? personOf(organizer) : null,
    attendees: attendees.slice(0, MAX_ATTENDEES).map(attendeeOf),
    attendees_left_out: Math.max(0, attendees.length - MAX_ATTENDEES),
    summary: textOf(event, 'summary'),
    location: textOf(event, 'location'),
    start,
    end: propertyOf(event, 'dtend')
      ? momentOf(propertyOf(event, 'dtend'), calendar)
      : endAfter(start, propertyOf(event, 'duration')?.value, calendar),
    recurrence: recurrenceOf(event),
    recurrence_id: momentOf(propertyOf(event, 'recurrence-id'), calendar),
    other_events: events.length - 1,
  };
}

const recurrenceOf = ({ properties }: CalendarComponent): string | null =>
  properties
    .filter(({ name }) => RECURRENCE.includes(name))
    .map(({ line }) => line)
    .join('\n')
    .slice(0, RECURRENCE_MAX_CHARS) || null;

const personOf = ({ value, parameters }: CalendarProperty): z.infer<typeof Person> => ({
  address: shortened(value.replace(/^mailto:/i, '')),
  name: shortened(parameters['cn'] ?? '') || null,
});

const attendeeOf = (attendee: CalendarProperty): z.infer<typeof Attendee> => ({
  ...personOf(attendee),
  status: shortened(attendee.parameters['partstat'] ?? '').toUpperCase() || 'NEEDS-ACTION', // RFC 5545 §3.2.12
  role: shortened(attendee.parameters['role'] ?? '').toUpperCase() || 'REQ-PARTICIPANT', // RFC 5545 §3.2.16
});
