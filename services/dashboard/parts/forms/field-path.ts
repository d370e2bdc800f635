/** Which field of a form the API means by a path such as `payload.storage.bucket`. */

/** By field: its path in the API. Fields that are not named have the path of their own name. */
export type FieldPaths<Values> = { [Field in keyof Values & string]?: string };

type FoundField = {
  field: string;
  /** The path that the field has in the API, without what it belongs to: `labels`. */
  path: string;
  /** What is at fault within it, such as `team` of `labels.team`, or `0` of `senders.0`. */
  inner: string;
};

/**
 * The field with the longest path that leads to the one at fault. The form may show a part of what
 * the API has: `settings.redact` is the field redact of the account.
 */
export function fieldAt<Values extends object>(
  at: string,
  values: Values,
  paths: FieldPaths<Values>,
): FoundField | undefined {
  const found = Object.keys(values).flatMap((field) => {
    const path = paths[field as keyof Values & string] ?? field;
    const start = `.${at}.`.indexOf(`.${path}.`);
    return start === -1 ? [] : [{ field, path, inner: at.slice(start + path.length + 1) }];
  });
  return found.toSorted((one, other) => other.path.length - one.path.length)[0];
}
