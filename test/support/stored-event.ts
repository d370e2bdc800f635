/** What a gateway reports about an email to one recipient, for tests without a stream. */
import type { Stored } from '../../services/gateway/receive/received-mail.ts';

export const storedAs = (eventId: string): Stored => ({
  events: [
    {
      eventId,
      accountId: 'acc_1',
      addressId: 'addr_1',
      isRepeat: false,
      storedFrom: new Date(),
      storeMs: 1,
    },
  ],
  refused: [],
  repeats: [],
  authors: [],
  bareLineEnds: false,
});
