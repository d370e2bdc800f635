/**
 * The table of a chart's values, from the comments in its values.yaml in the style of helm-docs: a
 * comment that begins with `# --` describes the value below it.
 */
import { parse } from 'yaml';

type ValueRow = { path: string; value: unknown; meaning: string };
type ValueSection = { title: string; intro: string; rows: ValueRow[] };

/** Components that describe values. A component without a comment has the meaning of the first of these. */
const DESCRIBED_BY = ['gateway', 'nats'];
const COMPONENTS = ['dispatcher', 'api', 'operator', 'mongodb'];

type Comments = { meanings: Map<string, string>; intros: Map<string, string> };

/** Comments by the path of the value below them. Block style only, two spaces for each level. */
function commentsOf(text: string): Comments {
  const meanings = new Map<string, string>();
  const intros = new Map<string, string>();
  const path: string[] = [];
  let above: string[] = [];
  for (const line of text.split('\n')) {
    const comment = /^ *# ?(.*)$/.exec(line)?.[1];
    if (comment !== undefined) {
      above.push(comment);
      continue;
    }
    const [, indent = '', key] = /^( *)(\w+):/.exec(line) ?? [];
    if (key !== undefined) {
      path.splice(indent.length / 2, path.length, key);
      const from = above.findIndex((one) => one.startsWith('-- '));
      const words = above.join(' ');
      if (from >= 0) meanings.set(path.join('.'), above.slice(from).join(' ').slice(3));
      else if (words !== '') intros.set(path.join('.'), words);
    }
    above = [];
  }
  return { meanings, intros };
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The sections of a values.yaml: the values without a group, then one for each group. */
export function valueSections(text: string): ValueSection[] {
  const { meanings, intros } = commentsOf(text);
  const rowsOf = (path: string, value: unknown): ValueRow[] => {
    const meaning = meaningOf(path, meanings);
    if (meaning === undefined && isMap(value) && Object.keys(value).length > 0)
      return Object.entries(value).flatMap(([key, inner]) => rowsOf(`${path}.${key}`, inner));
    return [{ path, value, meaning: meaning ?? '' }];
  };
  const general: ValueSection = { title: 'General', intro: '', rows: [] };
  const groups: ValueSection[] = [];
  for (const [key, value] of Object.entries(parse(text) as Record<string, unknown>)) {
    const rows = rowsOf(key, value);
    if (isMap(value) && !meanings.has(key))
      groups.push({ title: key, intro: intros.get(key) ?? '', rows });
    else general.rows.push(...rows);
  }
  return [general, ...groups].filter(({ rows }) => rows.length > 0);
}

function meaningOf(path: string, meanings: Map<string, string>): string | undefined {
  const own = meanings.get(path);
  if (own !== undefined) return own;
  const [component = '', ...rest] = path.split('.');
  if (!COMPONENTS.includes(component)) return undefined;
  const same = DESCRIBED_BY.map((one) => meanings.get([one, ...rest].join('.')));
  return same.find((meaning) => meaning !== undefined);
}

const cell = (text: string) => text.replaceAll(/[|<]/g, String.raw`\$&`);

export const valuesTable = (text: string): string =>
  valueSections(text)
    .map(({ title, intro, rows }) =>
      [
        `### ${title}`,
        ...(intro === '' ? [] : [intro]),
        [
          '| value | default | meaning |',
          '| --- | --- | --- |',
          ...rows.map(
            ({ path, value, meaning }) =>
              `| \`${path}\` | \`${cell(JSON.stringify(value))}\` | ${cell(meaning)} |`,
          ),
        ].join('\n'),
      ].join('\n\n'),
    )
    .join('\n\n');
