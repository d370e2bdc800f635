/** What the endpoints behind signed links have in common. */
import { z } from 'zod';

import { AppError } from '../../core/app-error.ts';

export const SignedLink = z.strictObject({
  expires: z.int().min(0).describe('Unix time at which the link expires'),
  signature: z.string().describe('HMAC of the link, in hex'),
});

export const invalidLink = (): AppError =>
  new AppError('forbidden', 'This link is invalid or has expired');
