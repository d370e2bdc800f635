/** A kind of thing that an account owns and changes: its names, its maximum and its fields. */
import type { IdPrefix } from '../ids.ts';
import type { Fields } from './field.ts';

export type Resource = {
  /** In messages and in events: `list.created` with a `list_id`. */
  name: 'list' | 'bucket' | 'notification' | 'receiver';
  plural: string;
  idPrefix: IdPrefix;
  /** Who has at most `maximum` of them. */
  owner: 'account' | 'environment of an account' | 'address';
  maximum: number;
  fields: Fields;
};
