/** M.4: which records are old enough, and several files as one sequence (D83). */
import { expect, test } from 'vitest';

import {
  archivableBefore,
  archivedBeyond,
  idsOfMonth,
  missingDelivery,
  monthAround,
} from '../../../services/core/archive/archive.ts';
import { mergedById } from '../../../services/core/archive/merge.ts';
import { firstIdAt } from '../../../services/core/ids.ts';

const DAY_MS = 86_400_000;
const idAt = (day: string) => `${firstIdAt('evt', new Date(day))}${'0'.repeat(16)}`;

test.each([
  ['2026-07-15T00:00:00Z', 90, '2026-04-01T00:00:00.000Z'],
  ['2026-07-01T00:00:00Z', 30, '2026-05-01T00:00:00.000Z'], // a day is missing
  ['2026-07-02T00:00:00Z', 31, '2026-05-01T00:00:00.000Z'],
  ['2026-07-03T00:00:00Z', 31, '2026-06-01T00:00:00.000Z'],
  ['2027-01-10T00:00:00Z', 31, '2026-12-01T00:00:00.000Z'],
])('M.4: at %s with %i days, records before %s leave', (now, days, before) => {
  expect(archivableBefore(new Date(now), days * DAY_MS).toISOString()).toBe(before);
});

test('M.4: a month is a range of ids, and an id has a month', () => {
  const last = firstIdAt('evt', new Date('2026-12-31T23:59:59.999Z')) + 'z'.repeat(16);
  expect(monthAround(last)).toEqual({
    month: '2026-12',
    start: new Date('2026-12-01T00:00:00Z'),
    end: new Date('2027-01-01T00:00:00Z'),
  });
  const { start = '', end = '' } = idsOfMonth('2026-12') ?? {};
  expect([start < last, last < end]).toEqual([true, true]);
  for (const text of ['2026-13', '2026', '2026-1', 'March'])
    expect(idsOfMonth(text)).toBeUndefined();
});

test('M.4: the API says what is archived only where it matters', () => {
  const before = new Date('2026-04-01T00:00:00Z');
  expect(missingDelivery(idAt('2026-03-31'), before).message).toContain(
    'before 2026-04-01T00:00:00Z',
  );
  for (const error of [
    missingDelivery(idAt('2026-04-01'), before),
    missingDelivery(idAt('2026-03-31'), undefined),
    missingDelivery('evil', before),
  ])
    expect(error.message).toBe('There is no such delivery');
  const said = { archived_before: '2026-04-01T00:00:00Z' };
  const may = new Date('2026-05-01T00:00:00Z');
  expect(archivedBeyond(before, { hasMore: false, start: undefined })).toEqual(said);
  expect(archivedBeyond(before, { hasMore: false, start: new Date('2026-03-01') })).toEqual(said);
  expect(archivedBeyond(before, { hasMore: false, start: may })).toEqual({});
  expect(archivedBeyond(before, { hasMore: true, start: undefined })).toEqual({});
  expect(archivedBeyond(undefined, { hasMore: false, start: undefined })).toEqual({});
});

type Line = { id: string; version: number };

/** Notes how many files are open at the same time. */
function filesWith(contents: readonly (readonly Line[])[]) {
  let [open, most] = [0, 0];
  async function* lines(content: readonly Line[]) {
    most = Math.max(most, (open += 1));
    try {
      for (const line of content) yield await Promise.resolve(line);
    } finally {
      open -= 1;
    }
  }
  async function* files() {
    for (const content of contents)
      yield await Promise.resolve({ first_id: content[0]?.id ?? '', open: () => lines(content) });
  }
  return { files: files(), counts: () => ({ open, most }) };
}

const newer = (one: Line, other: Line): boolean => one.version > other.version;
const line = (id: string, version = 1): Line => ({ id, version });

test('M.4: overlapping files are read in order, each record once, in its last version', async () => {
  const { files, counts } = filesWith([
    [line('a'), line('c'), line('e')],
    [line('b'), line('c', 2)],
    [line('f'), line('g')],
  ]);
  const read = await Array.fromAsync(mergedById(files, newer));
  expect(read.map(({ id, version }) => `${id}${version}`)).toEqual([
    'a1',
    'b1',
    'c2',
    'e1',
    'f1',
    'g1',
  ]);
  expect(counts()).toEqual({ open: 0, most: 2 });
});

test('M.4: a reader that stops closes the files', async () => {
  const { files, counts } = filesWith([[line('a'), line('c')], [line('b')]]);
  for await (const { id } of mergedById(files, newer)) if (id === 'b') break;
  expect(counts().open).toBe(0);
});
