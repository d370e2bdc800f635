/** Times of calendars, as Python's icalendar reads them. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { unpackText } from '../../services/adapters/mime/unpack.ts';
import { invitationOf } from '../../services/core/extract/invitation/read-invitation.ts';
import { madeCalendars } from '../core/extract/calendars.ts';
import { installIcalendarForPython } from './tools.ts';

test('starts and ends of 200 calendars in UTC', async ({ skip }) => {
  const environment = (await installIcalendarForPython()) ?? skip();
  const calendars = madeCalendars();
  const { stdout, stderr } = spawnSync(
    join(environment, 'bin', 'python'),
    [join(import.meta.dirname, 'calendars.py')],
    { input: JSON.stringify(calendars.map(({ text }) => text)), encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  const found = calendars.map(({ name, text }) => {
    const content = Buffer.from(text);
    const file = { filename: null, contentType: 'text/calendar', method: null, content };
    const { invitation } = invitationOf([file], unpackText);
    return [name, invitation?.start?.utc, invitation?.end?.utc, invitation?.summary];
  });
  const expected = (JSON.parse(stdout) as string[][]).map((read, at) => [
    calendars[at]?.name,
    ...read,
  ]);
  expect(found).toEqual(expected);
});
