/** The spec of a custom resource: the fields of its record, with names as Kubernetes writes them. */
import type { z } from 'zod';

import { type Fields, type Shape, shapeOf, type ValuesAt } from './field.ts';

/** `is_enabled` is `enabled`, and `secret_generation` is `secretGeneration`. */
type SpecName<Name> = Name extends `is_${infer Rest}`
  ? SpecName<Rest>
  : Name extends `${infer First}_${infer Rest}`
    ? `${First}${Capitalize<SpecName<Rest>>}`
    : Name;

const specName = (name: string): string =>
  name.replace(/^is_/, '').replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

type SpecShape<F extends Fields> = {
  [Name in keyof Shape<F, 'spec'> as SpecName<Name>]: Shape<F, 'spec'>[Name];
};

/** The API server refuses a change of a field that has no `change`. */
export const specShape = <F extends Fields>(fields: F): SpecShape<F> =>
  Object.fromEntries(
    Object.entries(shapeOf(fields, 'spec') as Record<string, z.ZodType>).map(([name, schema]) => [
      specName(name),
      fields[name]?.change === undefined ? schema.meta(unchangeable(specName(name))) : schema,
    ]),
  ) as SpecShape<F>;

const unchangeable = (name: string) => ({
  'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: `${name} cannot be changed` }],
});

/** The values of a record that a spec asks for. */
export type SpecValues<F extends Fields> = Pick<
  ValuesAt<F, 'record'>,
  keyof Shape<F, 'spec'> & keyof ValuesAt<F, 'record'>
>;

export const fromSpec = <F extends Fields>(fields: F, spec: object): SpecValues<F> => {
  const values = new Map<string, unknown>(Object.entries(spec));
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, { spec: inSpec, record, default: initial }]) =>
      inSpec && record ? [[name, values.get(specName(name)) ?? initial]] : [],
    ),
  ) as SpecValues<F>;
};
