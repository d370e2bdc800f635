/**
 * HTML that any sender can choose, made into a page: no step of it holds the event loop for long.
 * Steps are measured in processor time, because the machine runs other programs at the same time.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { readableHtml } from '../../../services/api/deliveries/readable-html.ts';
import { readPayload } from '../../../services/api/deliveries/stored-email.ts';
import { HTML_MAX_CHARS } from '../../../services/core/webhook/email-view.ts';

/** Of processor time. The worst step takes about 8 ms. */
const STEP_MAX_MS = 50;
/** Of processor time in all. The worst page takes about 200 ms. */
const PAGE_MAX_MS = 1_000;

const full = (piece: string, begin = '') =>
  (begin + piece.repeat(HTML_MAX_CHARS / piece.length + 1)).slice(0, HTML_MAX_CHARS);
const numbered = (begin: string, end: string) =>
  Array.from({ length: 100_000 }, (_, index) => `${begin}${index}${end}`).join('');

test.each([
  ['end tags that open and close a paragraph', full('</p>')],
  ['paragraphs that end each other', full('<p>')],
  ['line breaks', full('<br>')],
  ['images without a source', full('<img>')],
  ['links', full('<a href=x>')],
  ['table cells that end each other', full('<td>')],
  ['end tags within a thousand elements', full('</p>', '<i>'.repeat(999))],
  ['end tags without an element within a thousand', full('</b>', '<i>'.repeat(999))],
  ['elements without an end', full('<div><font size=1>')],
  ['one tag that never ends', full('a', '<')],
  ['one tag with a hundred thousand attributes', `<p ${numbered('a', ' ')}>`],
  ['one attribute of quotes', `<p title="${full("'").slice(20)}">`],
  ['many attributes of signs', full(`<p title="${'&'.repeat(16_000)}"></p>`)],
  ['signs that begin an entity', full('&')],
  ['entities', full('&amp;')],
  ['signs that begin a tag', full('<')],
  ['one style sheet of signs', full('<', '<style>')],
  ['comments that never end', full('<!-- ')],
  ['one image within the HTML', full('A', '<img src="data:image/png;base64,')],
  ['names that are all different', numbered('<x', '></x>')],
])('%s', async (_, html) => {
  const { longestMs, totalMs } = await stepsOf(() => readableHtml(html, new Map()));
  expect(longestMs).toBeLessThan(STEP_MAX_MS);
  expect(totalMs).toBeLessThan(PAGE_MAX_MS);
});

test('a payload of 12 MiB with a large image is read, and the image is shown', async () => {
  const base64 = 'A'.repeat(8 * 1024 * 1024);
  const images = new Map([['a', { contentType: 'image/png', base64 }]]);
  const payload = Buffer.from(
    JSON.stringify({
      content: { html: full('x<b>y</b>', '<img src=cid:a>') },
      attachments: [{ content: base64 }, { content: base64.slice(0, 3 * 1024 * 1024) }],
    }),
  );
  const chunks = async function* inChunks() {
    for (let at = 0; at < payload.byteLength; at += 128 * 1024)
      yield payload.subarray(at, at + 128 * 1024);
  };
  const place = { hold: () => undefined, [Symbol.dispose]: () => undefined };
  const { longestMs } = await stepsOf(async () => {
    const { content } = await readPayload(chunks(), place);
    await nextTurn();
    return readableHtml(content.html ?? '', images);
  });
  expect(longestMs).toBeLessThan(STEP_MAX_MS);
});

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** What the work takes between two turns of the event loop. The first run compiles the code. */
async function stepsOf(work: () => Promise<unknown>) {
  await work();
  let [longestMs, isDone, last] = [0, false, cpuMs()];
  const begin = last;
  const watching = (async () => {
    while (!isDone) {
      longestMs = Math.max(longestMs, cpuMs() - last);
      last = cpuMs();
      await nextTurn();
    }
  })();
  await work();
  await nextTurn();
  isDone = true;
  await watching;
  return { longestMs, totalMs: cpuMs() - begin };
}
