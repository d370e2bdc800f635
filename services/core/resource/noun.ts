/** The types of a noun: what an account owns and changes, such as a sender list. */
import type { ManagedBy } from './managed-by.ts';
import type { Fields, ValuesAt } from './field.ts';
import type { SpecValues } from './spec.ts';
import type { viewOf } from './view.ts';

export type Noun = {
  /** With its secrets in clear text, if it has any. */
  Record: { id: string; name?: string; address_id?: string; managed_by?: ManagedBy | undefined };
  /** What its creation asks for, in a request or a custom resource. */
  New: { managed_by?: ManagedBy | undefined };
  Change: object;
  /** As the API shows it. */
  View: { id: string };
};

/** The noun of a table. `More`: what its creation has in addition. */
export type NounOf<F extends Fields, R, More = unknown> = {
  Record: R;
  New: (ValuesAt<F, 'create'> | SpecValues<F>) & { managed_by?: ManagedBy | undefined } & More;
  Change: ValuesAt<F, 'change'>;
  View: ReturnType<typeof viewOf<F>>;
};

/** A record without what only memory has in clear text. */
export type Stored<R> = Omit<R, 'webhook_secret' | 'secret_access_key' | 'opened_auth'>;
