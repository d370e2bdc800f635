/**
 * Texts for people: tables, fields and colors. What an email contains must not control the
 * terminal.
 */

export type Paint = Record<'bold' | 'dim' | 'red' | 'green' | 'yellow', (text: string) => string>;

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;
const ELLIPSIS = '…';
const GAP = '  ';

/** Colors only when asked: on a terminal, and without NO_COLOR (https://no-color.org). */
export const createPaint = (hasColors: boolean): Paint =>
  Object.fromEntries(
    Object.entries(CODES).map(([name, code]) => [
      name,
      (text: string) => (hasColors && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text),
    ]),
  ) as Paint;

/** Control and format characters of a sender become visible or blanks. */
export const printable = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}]/gu, (character) => (/\s/.test(character) ? ' ' : '\ufffd'));

/**
 * JSON for standard output: as it is, but on a terminal with escapes in place of the control and
 * format characters of a sender. The value stays the same.
 */
export const jsonFor = ({ isInteractive }: { isInteractive: boolean }, json: string): string =>
  isInteractive ? json.replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, escaped) : json;

const escaped = (character: string): string =>
  character
    .split('') // a character above U+FFFF has two escapes
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

const cut = (text: string, columns: number): string =>
  text.length > columns ? `${text.slice(0, Math.max(0, columns - 1))}${ELLIPSIS}` : text;

export type Column<Row> = {
  title: string;
  of: (row: Row) => string;
  /** Longer values are cut. */
  most?: number;
  paint?: (text: string) => string;
};

export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const cells = rows.map((row) =>
    columns.map(({ of, most = Infinity }) => cut(printable(of(row)), most)),
  );
  const widths = columns.map(({ title }, i) =>
    Math.max(title.length, ...cells.map((row) => row[i]?.length ?? 0)),
  );
  const line = (row: readonly string[], painted: boolean) =>
    columns
      .map(({ paint }, i) => {
        const text = (row[i] ?? '').padEnd(i === columns.length - 1 ? 0 : (widths[i] ?? 0));
        return painted && paint ? paint(text) : text;
      })
      .join(GAP)
      .trimEnd();
  const title = line(
    columns.map((column) => column.title),
    false,
  );
  return `${[title, ...cells.map((row) => line(row, true))].join('\n')}\n`;
}

/**
 * One line for each field that has a value. Those of an object have its name before theirs:
 * `settings.timezone`.
 */
export function fields(data: Readonly<Record<string, unknown>>): string {
  const lines = linesOf(data, '');
  const width = Math.max(0, ...lines.map(([name]) => name.length));
  return lines.map(([name, text]) => `${name.padEnd(width)}${GAP}${printable(text)}\n`).join('');
}

type Line = [name: string, text: string];

const linesOf = (data: Readonly<Record<string, unknown>>, prefix: string): Line[] =>
  Object.entries(data).flatMap(([name, value]) => lineOf(`${prefix}${name}`, value));

function lineOf(name: string, value: unknown): Line[] {
  if (value === null || value === undefined || value === '') return [];
  if (typeof value !== 'object') return [[name, String(value)]];
  if (!Array.isArray(value)) return linesOf(value as Record<string, unknown>, `${name}.`);
  if (value.length === 0) return [];
  return value.every((one) => typeof one !== 'object')
    ? [[name, value.join(', ')]]
    : value.flatMap((one, i) => lineOf(`${name}.${i + 1}`, one));
}
