/** Ids in queries and bodies. A bulk replay stores them in the audit trail, so they are short. */
import { z } from 'zod';

export const RecordId = z.string().regex(/^\w{1,64}$/);
