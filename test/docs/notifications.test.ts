/** The page about notifications has a payload of each type. */
import { expect, test } from 'vitest';

import { NOTIFICATION_TYPES } from '../../services/core/notification/notification.ts';
import { NotificationPayload } from '../../services/core/notification/notification-payload.ts';
import { codeBlocks, readPage } from './pages.ts';

test('docs/notifications.md shows a payload of each type, as it is sent', async () => {
  const blocks = codeBlocks(await readPage('docs/notifications.md')).filter(
    ({ language }) => language === 'json',
  );
  const payloads = blocks.map(({ code }) => JSON.parse(code) as unknown);
  const parsed = payloads.map((payload) => NotificationPayload.parse(payload));
  expect(parsed).toEqual(payloads); // no other fields
  expect(parsed.map(({ type }) => type)).toEqual([...NOTIFICATION_TYPES]);
});
