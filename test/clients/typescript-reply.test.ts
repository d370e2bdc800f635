/** replyAddress of @inlet-email/client makes the reply addresses of the server. */
import { expect, test } from 'vitest';

import { replyAddress } from '../../services/clients/typescript/src/inlet.ts';
import { MAILBOX, REFUSED, REPLY, SIGNED_WITH, VECTORS } from '../core/reply/reply-vectors.ts';

const options = { ...SIGNED_WITH, ...REPLY, mailbox: MAILBOX };

test.each(VECTORS)('the vector of openssl, %s', async (_, sender, tag) => {
  const address = `support+${tag}@in.example.com`;
  expect(await replyAddress({ ...options, sender })).toBe(address);
  expect(await replyAddress({ ...options, sender: sender?.toUpperCase() })).toBe(address);
});

test.each(REFUSED)('refused, as by the API: %j', async (wrong) => {
  await expect(replyAddress({ ...options, ...wrong })).rejects.toThrow(TypeError);
});
