/** Tables of plain text. */

/** Aligns figures to the right and words to the left. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const holdsWords = head.map((_, column) => rows.some((row) => /[a-z]/i.test(row[column] ?? '')));
  const pad = (cell: string, column: number) =>
    holdsWords[column] ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  const line = (cells: readonly string[]) => cells.map(pad).join('  ').trimEnd();
  return [head, ...rows].map(line).join('\n');
}

/** About three digits; a dash for what was not measured. */
export function figure(value: number): string {
  if (Number.isNaN(value)) return '-';
  const size = Math.abs(value);
  return value.toFixed(size >= 100 || value === 0 ? 0 : size >= 10 ? 1 : 2);
}
