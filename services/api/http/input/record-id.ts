/** Ids in queries and bodies. A bulk replay stores them in the audit trail, so they are short. */
import { z } from 'zod';

/** In a query, separated by commas. */
export const RECORD_IDS_MAX = 100;
export const RECORD_IDS = new RegExp(`^\\w{1,64}(,\\w{1,64}){0,${RECORD_IDS_MAX - 1}}$`);

export const RECORD_IDS_TEXT = `must be 1 to ${RECORD_IDS_MAX} ids, separated by commas`;

export const RecordId = z.string().regex(/^\w{1,64}$/, 'must be an id');
