/** Calendars with one event each, made of time zones in many forms and of times around their changes. */

/** VTIMEZONE without its first and last lines and its TZID. */
const ZONES: Readonly<Record<string, readonly string[]>> = {
  'Weekday of a month': zone(
    ['+0100', '+0200', '19960331T020000', 'BYMONTH=3;BYDAY=-1SU'],
    ['+0200', '+0100', '19961027T030000', 'BYMONTH=10;BYDAY=-1SU'],
  ),
  'Second Sunday': zone(
    ['-0500', '-0400', '20070311T020000', 'BYMONTH=3;BYDAY=2SU'],
    ['-0400', '-0500', '20071104T020000', 'BYMONTH=11;BYDAY=1SU'],
  ),
  'Days and weekday': zone(
    ['-0500', '-0400', '20070311T020000', 'BYMONTH=3;BYMONTHDAY=8,9,10,11,12,13,14;BYDAY=SU'],
    ['-0400', '-0500', '20071104T020000', 'BYMONTH=11;BYMONTHDAY=1,2,3,4,5,6,7;BYDAY=SU'],
  ),
  'Position in a set': zone(
    ['+0000', '+0100', '20000326T010000', 'BYMONTH=3;BYDAY=SU;BYSETPOS=-1'],
    ['+0100', '+0000', '20001029T020000', 'BYMONTH=10;BYDAY=SU;BYSETPOS=-1'],
  ),
  'Day of a month': zone(
    ['+0330', '+0430', '20170322T000000', 'BYMONTH=3;BYMONTHDAY=22'],
    ['+0430', '+0330', '20170922T000000', 'BYMONTH=9;BYMONTHDAY=22'],
  ),
  'Date alone': zone(
    ['+0200', '+0300', '20180323T020000', ''],
    ['+0300', '+0200', '20181028T020000', ''],
  ),
  Southern: zone(
    ['+1000', '+1100', '20081005T020000', 'BYMONTH=10;BYDAY=1SU'],
    ['+1100', '+1000', '20080406T030000', 'BYMONTH=4;BYDAY=1SU'],
  ),
  'Half an hour': zone(
    ['+1030', '+1100', '20081005T020000', 'BYMONTH=10;BYDAY=1SU'],
    ['+1100', '+1030', '20080406T020000', 'BYMONTH=4;BYDAY=1SU'],
  ),
  Ended: zone(
    ['+0300', '+0400', '19930328T020000', 'BYMONTH=3;BYDAY=-1SU;UNTIL=20100327T230000Z'],
    ['+0400', '+0300', '19961027T030000', 'BYMONTH=10;BYDAY=-1SU;UNTIL=20101030T230000Z'],
  ),
  Counted: zone(
    ['+0100', '+0200', '20240331T020000', 'BYMONTH=3;BYDAY=-1SU;COUNT=4'],
    ['+0200', '+0100', '20241027T030000', 'BYMONTH=10;BYDAY=-1SU;COUNT=4'],
  ),
  'Never changes': [
    'BEGIN:STANDARD',
    'DTSTART:19700101T000000',
    'TZOFFSETFROM:+0530',
    'TZOFFSETTO:+0530',
    'END:STANDARD',
  ],
  'Long ago': zone(
    ['+0100', '+0200', '16010101T020000', 'INTERVAL=1;BYDAY=-1SU;BYMONTH=3'],
    ['+0200', '+0100', '16010101T030000', 'INTERVAL=1;BYDAY=-1SU;BYMONTH=10'],
  ),
  'Listed dates': [
    ...part('DAYLIGHT', '+0200', '+0300', '20250328T020000', [
      'RDATE:20260327T020000',
      'RDATE:20270326T020000',
    ]),
    ...part('STANDARD', '+0300', '+0200', '20251026T020000', [
      'RDATE:20261025T020000,20271031T020000',
    ]),
  ],
};

type Half = [from: string, to: string, start: string, rule: string];

function zone(daylight: Half, standard: Half): string[] {
  const lines = (kind: string, [from, to, start, rule]: Half) =>
    part(kind, from, to, start, rule === '' ? [] : [`RRULE:FREQ=YEARLY;${rule}`]);
  return [...lines('STANDARD', standard), ...lines('DAYLIGHT', daylight)];
}

function part(kind: string, from: string, to: string, start: string, more: string[]): string[] {
  return [
    `BEGIN:${kind}`,
    `DTSTART:${start}`,
    `TZOFFSETFROM:${from}`,
    `TZOFFSETTO:${to}`,
    ...more,
    `END:${kind}`,
  ];
}

const NAMES = [
  'Europe/Berlin',
  'Europe/London',
  'America/New_York',
  'America/Argentina/Salta',
  'America/Indiana/Knox',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'America/Sao_Paulo',
  'Asia/Tehran',
  'Etc/GMT+5',
  'UTC',
];

/** Around changes, and far from them. */
const STARTS = [
  '20260115T100000',
  '20260701T173000',
  '20260329T003000',
  '20260329T043000',
  '20261025T003000',
  '20261025T043000',
  '20261101T120000',
  '20280229T235959',
];
const ENDS = ['DURATION:PT5H', 'DURATION:P1DT2H', 'DURATION:P1W', 'DURATION:PT90M', 'DTEND'];

export type MadeCalendar = { name: string; text: string; isDescribed: boolean };

/** Each zone with each start; the ends take turns. */
export function madeCalendars(): MadeCalendar[] {
  const zones = [
    ...Object.entries(ZONES).map(([name, lines]) => ({ name: `Made/${name}`, lines })),
    ...NAMES.map((name) => ({ name, lines: [] as readonly string[] })),
  ];
  return zones.flatMap(({ name, lines }, row) =>
    STARTS.map((start, column) => {
      const end = ENDS[(row + column) % ENDS.length] ?? '';
      return {
        name: `${name} ${start} ${end}`,
        isDescribed: lines.length > 0,
        text: [
          'BEGIN:VCALENDAR',
          'VERSION:2.0',
          'PRODID:-//Example//EN',
          ...(lines.length > 0
            ? ['BEGIN:VTIMEZONE', `TZID:${name}`, ...lines, 'END:VTIMEZONE']
            : []),
          'BEGIN:VEVENT',
          `UID:${row}-${column}@a.example`,
          'DTSTAMP:20260101T000000Z',
          `DTSTART;TZID=${name}:${start}`,
          end === 'DTEND' ? `DTEND;TZID=${name}:${start.slice(0, 6)}28T235900` : end,
          'SUMMARY:Übung am See in Zürich\\, und mehr',
          'END:VEVENT',
          'END:VCALENDAR',
          '',
        ].join('\r\n'),
      };
    }),
  );
}
