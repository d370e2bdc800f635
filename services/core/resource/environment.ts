/** Live and test are two separate environments of an account (D11). */
import { z } from 'zod';

import { describeSchema } from './api-reference.ts';
export const Environment = z.enum(['live', 'test']);
export type Environment = z.infer<typeof Environment>;
describeSchema(Environment, 'Environment');
