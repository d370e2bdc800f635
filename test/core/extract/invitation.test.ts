/** Invitations: what the RFCs and the programs of large makers write, and what is damaged. */
import ICAL from 'ical.js';
import { describe, expect, test } from 'vitest';

import { parseMail } from '../../../services/adapters/mime/parse.ts';
import { unpackText } from '../../../services/adapters/mime/unpack.ts';
import { invitationOf } from '../../../services/core/extract/invitation/read-invitation.ts';
import { growth, LINEAR } from '../../support/growth.ts';
import { fc, runs } from '../../support/random.ts';
import { madeCalendars } from './calendars.ts';

const part = (content: string, method: string | null = null) => ({
  filename: null,
  contentType: 'text/calendar',
  method,
  content: Buffer.from(content),
});
const read = (...parts: ReturnType<typeof part>[]) => invitationOf(parts, unpackText);
const event = (...lines: string[]) => calendar(['BEGIN:VEVENT', 'UID:1', ...lines, 'END:VEVENT']);
const calendar = (lines: readonly string[], method = 'METHOD:REQUEST') =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Example//EN',
    method,
    ...lines,
    'END:VCALENDAR',
    '',
  ].join('\r\n');
const invitation = (text: string) => read(part(text)).invitation;

test('a meeting as Google Calendar sends it', () => {
  const text = event(
    'DTSTART:20261201T090000Z',
    'DTEND:20261201T100000Z',
    'DTSTAMP:20261120T093000Z',
    'ORGANIZER;CN=Ann of Example:mailto:ann@example.com',
    'ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;RSVP=TRUE',
    ' ;CN="Bob, the second";X-NUM-GUESTS=0:mailto:bob@example.net',
    'ATTENDEE;ROLE=OPT-PARTICIPANT;CN=eve@example.net:MAILTO:eve@example.net',
    'X-GOOGLE-CONFERENCE:https://meet.example/abc',
    'DESCRIPTION:Agenda\\, and more\\nof it',
    'LOCATION:Room 5\\, first floor',
    'SEQUENCE:2',
    'STATUS:CONFIRMED',
    'SUMMARY:Planning\\; the next',
    '  year',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'DESCRIPTION:Reminder',
    'TRIGGER:-PT30M',
    'END:VALARM',
  );
  expect(read(part(text, 'REQUEST'))).toEqual({
    isUnreadable: false,
    invitation: {
      method: 'REQUEST',
      uid: '1',
      sequence: 2,
      status: 'CONFIRMED',
      organizer: { address: 'ann@example.com', name: 'Ann of Example' },
      attendees: [
        {
          address: 'bob@example.net',
          name: 'Bob, the second',
          status: 'ACCEPTED',
          role: 'REQ-PARTICIPANT',
        },
        {
          address: 'eve@example.net',
          name: 'eve@example.net',
          status: 'NEEDS-ACTION',
          role: 'OPT-PARTICIPANT',
        },
      ],
      attendees_left_out: 0,
      summary: 'Planning; the next year',
      location: 'Room 5, first floor',
      start: {
        local: '2026-12-01T09:00:00',
        time_zone: 'UTC',
        utc: '2026-12-01T09:00:00Z',
        is_all_day: false,
      },
      end: {
        local: '2026-12-01T10:00:00',
        time_zone: 'UTC',
        utc: '2026-12-01T10:00:00Z',
        is_all_day: false,
      },
      recurrence: null,
      recurrence_id: null,
      other_events: 0,
    },
  });
});

const WINDOWS_ZONE = [
  'BEGIN:VTIMEZONE',
  'TZID:W. Europe Standard Time',
  'BEGIN:STANDARD',
  'DTSTART:16010101T030000',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10',
  'END:STANDARD',
  'BEGIN:DAYLIGHT',
  'DTSTART:16010101T020000',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3',
  'END:DAYLIGHT',
  'END:VTIMEZONE',
];
const FIXED_ZONE = [
  'BEGIN:VTIMEZONE',
  'TZID:Fixed',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0530',
  'TZOFFSETTO:+0530',
  'END:STANDARD',
  'END:VTIMEZONE',
];
const SOUTHERN_ZONE = [
  'BEGIN:VTIMEZONE',
  'TZID:Southern',
  'BEGIN:STANDARD',
  'DTSTART:20080406T030000',
  'TZOFFSETFROM:+1100',
  'TZOFFSETTO:+1000',
  'RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=1SU',
  'END:STANDARD',
  'BEGIN:DAYLIGHT',
  'DTSTART:20081005T020000',
  'TZOFFSETFROM:+1000',
  'TZOFFSETTO:+1100',
  'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=1SU',
  'END:DAYLIGHT',
  'END:VTIMEZONE',
];

describe('times', () => {
  test.each<[string, string, string, string | null]>([
    ['UTC', '', '20261201T100000Z', '2026-12-01T10:00:00Z'],
    ['floating', '', '20261201T100000', null],
    ['winter', 'Europe/Berlin', '20261201T100000', '2026-12-01T09:00:00Z'],
    ['summer', 'Europe/Berlin', '20260701T100000', '2026-07-01T08:00:00Z'],
    ['before the change', 'America/New_York', '20261101T003000', '2026-11-01T04:30:00Z'],
    ['after the change', 'America/New_York', '20261101T030000', '2026-11-01T08:00:00Z'],
    ['half an hour', 'Asia/Kolkata', '20261201T100000', '2026-12-01T04:30:00Z'],
    [
      'with the maker’s prefix',
      '/example.org/20260101/Europe/Berlin',
      '20261201T100000',
      '2026-12-01T09:00:00Z',
    ],
    ['of Windows, winter', 'W. Europe Standard Time', '20260115T100000', '2026-01-15T09:00:00Z'],
    ['of Windows, summer', '"W. Europe Standard Time"', '20260701T100000', '2026-07-01T08:00:00Z'],
    [
      'of Windows, before the change',
      'W. Europe Standard Time',
      '20260329T013000',
      '2026-03-29T00:30:00Z',
    ],
    [
      'of Windows, after the change',
      'W. Europe Standard Time',
      '20260329T033000',
      '2026-03-29T01:30:00Z',
    ],
    ['without changes', 'Fixed', '20261201T100000', '2026-12-01T04:30:00Z'],
    ['southern summer', 'Southern', '20260101T100000', '2025-12-31T23:00:00Z'],
    ['southern winter', 'Southern', '20260701T100000', '2026-07-01T00:00:00Z'],
    ['unknown', 'Nowhere', '20261201T100000', null],
  ])('%s', (_, zone, start, utc) => {
    const lines = [
      ...WINDOWS_ZONE,
      ...FIXED_ZONE,
      ...SOUTHERN_ZONE,
      'BEGIN:VEVENT',
      `DTSTART${zone && `;TZID=${zone}`}:${start}`,
      'END:VEVENT',
    ];
    const found = invitation(calendar(lines))?.start;
    const time_zone = start.endsWith('Z') ? 'UTC' : zone.replaceAll('"', '') || null;
    expect(found).toMatchObject({ time_zone, utc, is_all_day: false });
  });

  test.each<[string, string[], object | null]>([
    [
      'a whole day',
      ['DTSTART;VALUE=DATE:20261231'],
      { local: '2027-01-01', is_all_day: true, utc: null },
    ],
    ['whole days', ['DTSTART;VALUE=DATE:20261231', 'DURATION:P3D'], { local: '2027-01-03' }],
    [
      'a duration',
      ['DTSTART;TZID=Europe/Berlin:20261231T233000', 'DURATION:PT1H30M'],
      { local: '2027-01-01T01:00:00', utc: '2027-01-01T00:00:00Z' },
    ],
    ['weeks', ['DTSTART:20261201T100000Z', 'DURATION:P2W'], { utc: '2026-12-15T10:00:00Z' }],
    ['neither end nor duration', ['DTSTART:20261201T100000Z'], { utc: '2026-12-01T10:00:00Z' }],
    ['no time', ['DTSTART:tomorrow'], null],
    ['an impossible time', ['DTSTART:20261341T250000Z'], null],
    ['a negative duration', ['DTSTART:20261201T100000Z', 'DURATION:-PT1H'], null],
  ])('the end with %s', (_, lines, end) => {
    expect(invitation(event(...lines))).toMatchObject({ end });
  });
});

const RULES_OF_EASTERN = [
  'BEGIN:STANDARD\r\nDTSTART:20071104T020000\r\nTZOFFSETFROM:-0400\r\nTZOFFSETTO:-0500',
  'RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU\r\nEND:STANDARD',
  'BEGIN:DAYLIGHT\r\nDTSTART:20070311T020000\r\nTZOFFSETFROM:-0500\r\nTZOFFSETTO:-0400',
  'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU\r\nEND:DAYLIGHT',
];
const described = (name: string, rules: readonly string[] = RULES_OF_EASTERN): string[] => [
  'BEGIN:VTIMEZONE',
  `TZID:${name}`,
  ...rules,
  'END:VTIMEZONE',
];
const changed = (from: string, to: string): string[] =>
  RULES_OF_EASTERN.map((rule) => rule.replace(from, to));

describe('exact times', () => {
  test.each<[string, string[], string, string | null]>([
    ['its VTIMEZONE before IANA', described('EST'), 'EST:20260701T100000', '2026-07-01T14:00:00Z'],
    ['GMT with a description', described('GMT'), 'GMT:20260701T100000', '2026-07-01T14:00:00Z'],
    ['BST with a description', described('BST'), 'BST:20260701T100000', '2026-07-01T14:00:00Z'],
    ['BST without one', [], 'BST:20260701T100000', null],
    ['AST', [], 'AST:20260701T100000', null],
    ['EST without a description', [], 'EST:20260701T100000', null],
    [
      'three parts',
      [],
      '/x.example/1/America/Argentina/Salta:20260701T100000',
      '2026-07-01T13:00:00Z',
    ],
    ['three parts alone', [], 'America/Indiana/Knox:20260701T100000', '2026-07-01T15:00:00Z'],
    ['an old name of IANA', [], 'US/Eastern:20260701T100000', '2026-07-01T14:00:00Z'],
    ['a time that occurs twice', [], 'America/New_York:20261101T013000', '2026-11-01T05:30:00Z'],
    ['the same in Berlin', [], 'Europe/Berlin:20261025T023000', '2026-10-25T00:30:00Z'],
    ['the same, described', described('X'), 'X:20261101T013000', '2026-11-01T05:30:00Z'],
    ['a gap', [], 'Europe/Berlin:20260329T023000', '2026-03-29T01:30:00Z'],
    ['a gap, described', described('X'), 'X:20260308T023000', '2026-03-08T07:30:00Z'],
    [
      'a rule by month days',
      described('X', changed('BYDAY=2SU', 'BYDAY=SU;BYMONTHDAY=8,9,10,11,12,13,14')),
      'X:20260701T100000',
      '2026-07-01T14:00:00Z',
    ],
    [
      'a rule by weeks',
      described('X', changed('BYDAY=2SU', 'BYWEEKNO=11;BYDAY=SU')),
      'X:20260701T100000',
      null,
    ],
    [
      'a monthly rule',
      described('X', changed('YEARLY;BYMONTH=11', 'MONTHLY')),
      'X:20260701T100000',
      null,
    ],
    [
      'rules without offsets',
      described('X', changed('TZOFFSETTO:-0500', 'TZOFFSETTO:five')),
      'X:20260701T100000',
      null,
    ],
    [
      'a description without rules',
      described('Europe/Berlin', []),
      'Europe/Berlin:20260701T100000',
      '2026-07-01T08:00:00Z',
    ],
    ['a leap second', [], 'Etc/UTC:20161231T235960', '2016-12-31T23:59:59Z'],
  ])('%s', (_, zone, start, utc) => {
    const lines = [...zone, 'BEGIN:VEVENT', `DTSTART;TZID=${start}`, 'END:VEVENT'];
    expect(invitation(calendar(lines))?.start?.utc).toBe(utc);
  });

  test.each<[string, string[], object | null]>([
    [
      'hours over the end of summer time',
      ['DTSTART;TZID=America/New_York:20261031T230000', 'DURATION:PT5H'],
      { local: '2026-11-01T03:00:00', utc: '2026-11-01T08:00:00Z' },
    ],
    [
      'into the hour that occurs twice',
      ['DTSTART;TZID=America/New_York:20261101T003000', 'DURATION:PT2H'],
      { local: '2026-11-01T01:30:00', utc: '2026-11-01T06:30:00Z' },
    ],
    [
      'a day keeps the time',
      ['DTSTART;TZID=America/New_York:20261031T230000', 'DURATION:P1D'],
      { local: '2026-11-01T23:00:00', utc: '2026-11-02T04:00:00Z' },
    ],
    ['hours of an unknown zone', ['DTSTART;TZID=Nowhere:20261031T230000', 'DURATION:PT5H'], null],
    [
      'days of an unknown zone',
      ['DTSTART;TZID=Nowhere:20261031T230000', 'DURATION:P1D'],
      { local: '2026-11-01T23:00:00', utc: null },
    ],
    ['a day that does not exist', ['DTSTART;VALUE=DATE:20260431'], null],
  ])('an end: %s', (_, lines, end) => {
    const found = invitation(event(...lines))?.end ?? null;
    expect(found && { local: found.local, utc: found.utc }).toEqual(end);
  });

  test('starts in described zones are those of ical.js', () => {
    const differences = madeCalendars()
      .filter(({ name, isDescribed }) => isDescribed && !name.startsWith('Made/Listed'))
      .flatMap(({ name, text }) => {
        const root = new ICAL.Component(ICAL.parse(text) as unknown[]);
        const { startDate } = new ICAL.Event(root.getFirstSubcomponent('vevent') ?? undefined);
        const expected = startDate.toJSDate().toISOString().replace('.000', '');
        const utc = invitation(text)?.start?.utc;
        return utc === expected ? [] : [{ name, utc, expected }];
      });
    expect(differences).toEqual([]);
  });
});

const folded = (bytes: Buffer): Buffer => {
  const pieces = Array.from(bytes, (byte, at) => (at % 9 === 8 ? [byte, 13, 10, 32] : [byte]));
  return Buffer.from(pieces.flat());
};
const head = (text: string) => event('X').split('X\r\n')[text === 'before' ? 0 : 1] ?? '';

const withSummary = (summary: Buffer, more: object = {}) => {
  const content = Buffer.concat([
    Buffer.from(head('before')),
    summary,
    Buffer.from(`\r\n${head('after')}`),
  ]);
  return invitationOf([{ ...part(''), ...more, content }], unpackText).invitation?.summary;
};

describe('text', () => {
  const SUMMARY = 'SUMMARY:Übung am See in Zürich';

  test.each<[string, Buffer, object]>([
    ['folds within characters', folded(Buffer.from(SUMMARY)), {}],
    ['charset of the part', Buffer.from(SUMMARY, 'latin1'), { charset: 'iso-8859-1' }],
    ['application/ics', Buffer.from(SUMMARY), { contentType: 'application/ics' }],
    [
      'a file by its name',
      Buffer.from(SUMMARY),
      { contentType: 'application/octet-stream', filename: 'Invite.ICS' },
    ],
    [
      'a text with such a name',
      Buffer.from(SUMMARY),
      { contentType: 'text/plain', filename: 'invite.ics' },
    ],
  ])('%s', (_, summary, more) => {
    expect(withSummary(summary, more)).toBe('Übung am See in Zürich');
  });

  test('the charset that the part of an email names', () => {
    const outer = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nHello\r\n--b\r\n';
    const file = 'Content-Type: text/calendar; charset=iso-8859-1; method=REQUEST\r\n\r\n';
    const raw = Buffer.from(`${outer}${file}${event(SUMMARY)}--b--\r\n`, 'latin1');
    const { attachments } = parseMail(raw);
    expect(invitationOf(attachments, unpackText).invitation?.summary).toBe(
      'Übung am See in Zürich',
    );
  });

  test('of another charset', () => {
    const bytes = Buffer.from([...Buffer.from('SUMMARY:'), 0xa3, 0xf3, 0x64, 0xbc]);
    expect(withSummary(bytes, { charset: 'iso-8859-2' })).toBe('Łódź');
  });
});

describe('iTIP (RFC 5546)', () => {
  test('a recurrence stays as text', () => {
    const found = invitation(
      event(
        'DTSTART;TZID=Europe/Berlin:20261201T100000',
        'RRULE:FREQ=WEEKLY;UNTIL=20270630T080000Z;BYDAY=TU,TH',
        'EXDATE;TZID=Europe/Berlin:20261224T100000,20261231T100000',
      ),
    );
    expect(found?.recurrence).toBe(
      'RRULE:FREQ=WEEKLY;UNTIL=20270630T080000Z;BYDAY=TU,TH\n' +
        'EXDATE;TZID=Europe/Berlin:20261224T100000,20261231T100000',
    );
  });

  test('one occurrence is cancelled', () => {
    const text = calendar(
      [
        'BEGIN:VEVENT',
        'UID:1',
        'RECURRENCE-ID:20261208T090000Z',
        'DTSTART:20261208T090000Z',
        'STATUS:CANCELLED',
        'END:VEVENT',
      ],
      'METHOD:CANCEL',
    );
    expect(invitation(text)).toMatchObject({
      method: 'CANCEL',
      status: 'CANCELLED',
      recurrence_id: { utc: '2026-12-08T09:00:00Z' },
    });
  });

  test('an answer', () => {
    const text = calendar(
      ['BEGIN:VEVENT', 'UID:1', 'ATTENDEE;PARTSTAT=DECLINED:mailto:bob@example.net', 'END:VEVENT'],
      'METHOD:REPLY',
    );
    expect(invitation(text)).toMatchObject({
      method: 'REPLY',
      attendees: [{ address: 'bob@example.net', status: 'DECLINED' }],
      start: null,
      end: null,
    });
  });

  test('the event itself counts, not an occurrence that differs', () => {
    const text = calendar([
      'BEGIN:VEVENT\r\nUID:1\r\nRECURRENCE-ID:20261208T090000Z\r\nSUMMARY:Moved\r\nEND:VEVENT',
      'BEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Weekly\r\nEND:VEVENT',
    ]);
    expect(invitation(text)).toMatchObject({
      summary: 'Weekly',
      other_events: 1,
      recurrence_id: null,
    });
  });

  test('the part that asks for something counts', () => {
    const found = read(
      part(calendar(['BEGIN:VEVENT', 'UID:file', 'END:VEVENT'], 'X-A:1')),
      part(event(), 'REQUEST'),
    );
    expect(found.invitation).toMatchObject({ uid: '1', method: 'REQUEST' });
  });

  test('a file without a request is an event as well', () => {
    expect(invitation(calendar(['BEGIN:VEVENT', 'UID:2', 'END:VEVENT'], 'X-A:1'))).toMatchObject({
      uid: '2',
      method: null,
    });
  });

  test('the first 200 attendees, and how many there are beyond', () => {
    const attendees = Array.from({ length: 1_000 }, (_, i) => `ATTENDEE:mailto:u${i}@example.net`);
    const found = invitation(event(...attendees));
    expect([found?.attendees.length, found?.attendees_left_out]).toEqual([200, 800]);
  });
});

describe('other calendars', () => {
  const NONE = { invitation: null, isUnreadable: false };
  const UNREADABLE = { invitation: null, isUnreadable: true };
  test.each([
    ['a task', calendar(['BEGIN:VTODO', 'UID:1', 'END:VTODO']), NONE],
    ['free and busy times', calendar(['BEGIN:VFREEBUSY', 'UID:1', 'END:VFREEBUSY']), NONE],
    ['no events', calendar([]), NONE],
    ['nothing', '', UNREADABLE],
    ['another text', 'Hello Bob', UNREADABLE],
    ['an end that is missing', event().slice(0, -20), UNREADABLE],
    ['a contact', 'BEGIN:VCARD\r\nEND:VCARD\r\n', UNREADABLE],
    ['a rule that is none', event('RRULE:FREQ=SOMETIMES'), UNREADABLE],
  ])('%s', (_, text, expected) => expect(read(part(text))).toEqual(expected));

  test('no calendar', () => expect(read()).toEqual(NONE));

  test('what invitations do not need may be damaged', () => {
    const text = event(
      'X-BROKEN',
      'ATTACH;ENCODING=BASE64;VALUE=BINARY:' + 'QUJD'.repeat(500_000),
      'SUMMARY:Still there',
    );
    expect(invitation(text)).toMatchObject({ summary: 'Still there' });
  });

  test('dates without VALUE=DATE and an empty rule are read', () => {
    const text = event('DTSTART:20261201', 'DTEND:20261202', 'RRULE:', 'SUMMARY:Note:');
    const found = invitation(text);
    const proper = event(
      'DTSTART;VALUE=DATE:20261201',
      'DTEND;VALUE=DATE:20261202',
      'SUMMARY:Note:',
    );
    expect(found).toEqual(invitation(proper));
    expect(found).toMatchObject({ summary: 'Note:', recurrence: null });
  });

  test('lines of LF alone, and two calendars in a part', () => {
    const text = event('SUMMARY:First').replaceAll('\r\n', '\n') + event('SUMMARY:Second');
    expect(invitation(text)).toMatchObject({ summary: 'First' });
  });

  test('whatever the text, there is an answer', () => {
    const text = calendar([
      ...WINDOWS_ZONE,
      ...event(
        'DTSTART;TZID=W. Europe Standard Time:20260701T100000',
        'RRULE:FREQ=DAILY;COUNT=3',
        'ATTENDEE;CN=x:mailto:a@example.net',
      )
        .split('\r\n')
        .slice(4, -2),
    ]);
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ at: fc.nat(), length: fc.nat(12), put: fc.string({ maxLength: 6 }) }),
          {
            minLength: 1,
            maxLength: 6,
          },
        ),
        (changes) => {
          let mutant = text;
          for (const { at, length, put } of changes) {
            const from = at % mutant.length;
            mutant = mutant.slice(0, from) + put + mutant.slice(from + length);
          }
          const found = read(part(mutant));
          expect(found.invitation !== null && found.isUnreadable).toBe(false);
        },
      ),
      runs(500),
    );
  });

  test.each([
    ['parameters', `ATTENDEE${';A=b'.repeat(2_000)}:mailto:a@example.net\r\n`.repeat(200)],
    ['attendees', 'ATTENDEE;CN=x:mailto:a@example.net\r\n'.repeat(60_000)],
    ['components', 'BEGIN:VALARM\r\n'.repeat(150_000)],
    ['folds', `SUMMARY:${'a\r\n '.repeat(500_000)}`],
    ['dates', `EXDATE:${'20261201T100000Z,'.repeat(400)}20261201T100000Z\r\n`.repeat(250)],
    ['rules', `RRULE:FREQ=DAILY${';'.repeat(8_000)}\r\n`.repeat(250)],
    ['time zones', WINDOWS_ZONE.join('\r\n').repeat(5_000)],
  ])('2 MiB of %s are read in linear time', (_, lines) => {
    const readPart = (size: number) => invitation(event(lines.slice(0, size)));
    expect(growth(lines.length, readPart)).toBeLessThan(LINEAR);
  });
});
