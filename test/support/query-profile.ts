/**
 * How MongoDB executed each query of the services, from its profiler: distinct plans, without
 * values.
 */
import type { Db, Document } from 'mongodb';

export type QueryPlan = {
  collection: string;
  /** Command, conditions, sort and stages, without values. */
  query: string;
  /**
   * MongoDB's plan summary, shortened: `IXSCAN account_id, created_at -1`; `4× IXSCAN …` for four
   * merged ranges.
   */
  plan: string;
  sortsInMemory: boolean;
  /** Fields that the query compares with one value or a list of values. */
  pinned: string[];
  /** Documents or index keys, whichever is more, of the execution that examined most. */
  examined: number;
  times: number;
};

export type QueryProfile = {
  /** All plans since the start, ordered by collection. */
  plans(): Promise<QueryPlan[]>;
};

const KEPT_BYTES = 128 * 1024 * 1024;
/** Commands that search for documents, unlike inserts, session commands and index builds. */
const QUERIES = ['find', 'aggregate', 'count', 'distinct', 'findAndModify'];

/**
 * @param appName client whose queries count, unlike those of the server itself, such as its TTL
 * monitor's
 */
export async function startQueryProfile(db: Db, appName = 'inlet'): Promise<QueryProfile> {
  await db.command({ profile: 0 });
  await db.createCollection('system.profile', { capped: true, size: KEPT_BYTES });
  await db.command({ profile: 2 });
  return {
    plans: async () => {
      await db.command({ profile: 0 });
      const found = await db.collection('system.profile').find({ appName }).toArray();
      const plans = new Map<string, QueryPlan>();
      for (const plan of found.flatMap(planOf)) {
        const key = JSON.stringify([plan.collection, plan.query, plan.plan, plan.sortsInMemory]);
        const before = plans.get(key);
        plans.set(key, {
          ...plan,
          examined: Math.max(plan.examined, before?.examined ?? 0),
          times: 1 + (before?.times ?? 0),
        });
      }
      return [...plans.values()].toSorted((one, other) => lineOf(one).localeCompare(lineOf(other)));
    },
  };
}

export const lineOf = ({
  collection,
  query,
  plan,
  sortsInMemory,
  examined,
  times,
}: QueryPlan): string =>
  `${collection.padEnd(16)} ${plan}${sortsInMemory ? ' + SORT' : ''}  ←  ${query}  ` +
  `(${times}×, at most ${examined} examined)`;

function planOf({
  ns,
  op,
  command,
  originatingCommand,
  planSummary,
  hasSortStage,
  docsExamined = 0,
  keysExamined = 0,
}: Document): QueryPlan[] {
  const collection = String(ns).slice(String(ns).indexOf('.') + 1);
  const given = (op === 'getmore' ? originatingCommand : command) as Document;
  const query = queryOf(String(op), given);
  if (query === undefined || collection.startsWith('system.') || collection.startsWith('$'))
    return [];
  return [
    {
      collection,
      query,
      plan: shortPlan(String(planSummary ?? 'no plan')),
      sortsInMemory: hasSortStage === true,
      pinned: pinnedFields(filterOf(given)),
      examined: Math.max(Number(docsExamined), Number(keysExamined)),
      times: 1,
    },
  ];
}

function shortPlan(summary: string): string {
  const ranges = summary.split(/, (?=[A-Z])/);
  const different = [...new Set(ranges)].map((one) =>
    one
      .replaceAll(/: 1\b|[{}]/g, '')
      .replaceAll(': -1', ' -1')
      .replaceAll(/ +/g, ' ')
      .replaceAll(' ,', ',')
      .trim(),
  );
  return `${ranges.length > 1 ? `${ranges.length}× ` : ''}${different.join(', ')}`;
}

function queryOf(op: string, command: Document): string | undefined {
  if (op === 'update' || op === 'remove') return `${op} ${conditions(command.q)}`;
  const name = QUERIES.find((one) => one in command);
  if (name === undefined) return undefined;
  if (name === 'aggregate') return `aggregate ${stages(command.pipeline as Document[])}`;
  const sort =
    command.sort === undefined ? '' : ` sort ${Object.keys(command.sort as Document).join(', ')}`;
  return `${name} ${conditions(command.filter ?? command.query)}${sort}`;
}

const filterOf = ({ q, filter, query, pipeline }: Document): unknown =>
  q ?? filter ?? query ?? (pipeline as Document[] | undefined)?.[0]?.$match;

/** Equality and `$in` route a query to shards; the server routes nothing by a range of a hash. */
function pinnedFields(filter: unknown): string[] {
  if (!isPlain(filter)) return [];
  return Object.entries(filter)
    .filter(
      ([field, value]) =>
        !field.startsWith('$') &&
        !(value instanceof RegExp) &&
        (!isPlain(value) ||
          Object.keys(value).every((key) => !key.startsWith('$')) ||
          Object.keys(value).some((key) => key === '$eq' || key === '$in')),
    )
    .map(([field]) => field);
}

function stages(pipeline: readonly Document[]): string {
  return pipeline
    .flatMap((stage) => Object.entries(stage))
    .map(([name, value]: [string, Document]) => {
      if (name === '$match') return conditions(value);
      if (name === '$sort') return `sort ${Object.keys(value).join(', ')}`;
      if (name === '$unionWith')
        return `$unionWith ${String(value.coll)} (${stages(value.pipeline as Document[])})`;
      return name === '$lookup'
        ? `$lookup ${String(value.from)} by ${String(value.foreignField)}`
        : name;
    })
    .join(' → ');
}

/** `{ account_id, _id $gte $lt }` */
function conditions(filter: unknown): string {
  if (!isPlain(filter)) return '{}';
  const parts = Object.entries(filter).map(([field, value]) => {
    if (Array.isArray(value) && field.startsWith('$'))
      return `${field} (${[...new Set(value.map(conditions))].join(' ')})`;
    if (isPlain(value) && Object.keys(value).every((key) => key.startsWith('$')))
      return `${field} ${Object.keys(value).join(' ')}`;
    return field;
  });
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
