/** A kind of thing that an account owns and changes: its names, its maximum and its fields. */
import type { IdPrefix } from '../id/ids.ts';
import type { Fields } from './field.ts';

export type Resource = {
  /** In messages and in events: `list.created` with a `list_id`. */
  name: 'list' | 'bucket' | 'notification' | 'receiver' | 'token' | 'member' | 'domain';
  /** In messages, if it is not the name. */
  title?: string;
  plural: string;
  idPrefix: IdPrefix;
  /** The field of its id in events, if that is not `list_id` or the like. */
  idInEvents?: (event: 'created' | 'updated' | 'deleted') => string;
  /** Who has at most `maximum` of them. */
  owner: 'account' | 'environment of an account' | 'address';
  maximum: number;
  fields: Fields;
};
