/** What remains of an email's HTML: formatting, and nothing that runs, loads or leads anywhere. */
import { describe, expect, test } from 'vitest';

import { readableHtml } from '../../../services/api/content/readable-html.ts';

const PNG = 'iVBORw0KGgo=';
const images = new Map([
  ['logo@x', { contentType: 'image/png', base64: PNG }],
  ['page@x', { contentType: 'text/html', base64: PNG }],
  ['drawing@x', { contentType: 'image/svg+xml', base64: PNG }],
]);
const pageOf = (html: string) => readableHtml(html, images).toString();
const bodyOf = (html: string) => /<body>(.*)<\/body>/s.exec(pageOf(html))?.[1] ?? '(no body)';

describe('formatting remains', () => {
  test.each([
    ['<p style="color:red">a <b>bold</b> word</p>', '<p style="color:red">a <b>bold</b> word</p>'],
    ['<table bgcolor=red><tr><td>x', '<table bgcolor="red"><tr><td>x</td></tr></table>'],
    ['a &lt;b&gt; &amp; c', 'a &#60;b&#62; &#38; c'],
    ['<body bgcolor="#eee">x</body>', '<div bgcolor="#eee">x</div>'],
    ['<custom-tag>text</custom-tag>', 'text'],
    ['<form action=/x>text</form>', 'text'],
    ['<style>p{color:red}</style>', '<style>p{color:red}</style>'],
  ])('%s', (html, expected) => expect(bodyOf(html)).toBe(expected));
});

describe('nothing runs, loads or leads anywhere', () => {
  test.each([
    ['<script>alert(1)</script>x', 'x'],
    ['<p onclick=alert(1)>x</p>', '<p>x</p>'],
    ['<svg onload=alert(1)><script>1</script></svg>x', 'x'],
    ['<math><mi xlink:href="javascript:alert(1)">y</mi></math>x', 'x'],
    ['<iframe srcdoc="<script>1</script>"></iframe>x', 'x'],
    ['<link rel=preconnect href=https://e.example>x', 'x'],
    ['<meta http-equiv=refresh content="0;https://e.example">x', 'x'],
    ['<base href=https://e.example>x', 'x'],
    ['<a href="javascript:alert(1)">x</a>', '<a title="javascript:alert(1)">x</a>'],
    [
      '<a href=https://e.example target=_top ping=/p>x</a>',
      '<a title="https://e.example" data-href="https://e.example" role="link" tabindex="0">x</a>',
    ],
    ['<img src=https://e.example/1.png alt=Logo>', '<img alt="Logo">'],
    ['<img srcset="https://e.example/1.png 2x">', '<img alt="image">'],
    ['<td background=https://e.example/1.png>x</td>', '<td>x</td>'],
    ['<video src=https://e.example/v poster=/p>x</video>y', 'y'],
    ['<template><p>x</template>y', 'y'],
    ['<!--[if mso]><script>1</script><![endif]-->x', 'x'],
    ['<style><!--</style><script>1</script>x', '<style>\\3c !--</style>x'],
    ['<noscript><p title="</noscript><img src=x onerror=1>"></noscript>x', 'x'],
    [
      '<p title="&quot;><script>1</script>">x</p>',
      '<p title="&#34;&#62;&#60;script&#62;1&#60;/script&#62;">x</p>',
    ],
  ])('%s', (html, expected) => expect(bodyOf(html)).toBe(expected));
});

describe('images', () => {
  test('an image of the email is part of the page', () => {
    expect(bodyOf('<img src="cid:logo%40x">')).toBe(`<img src="data:image/png;base64,${PNG}">`);
    expect(bodyOf(`<img src="data:image/gif;base64,${PNG}">`)).toContain('src="data:image/gif');
  });

  test.each(['cid:page@x', 'cid:drawing@x', 'cid:none@x', 'cid:%zz', 'data:text/html,x', '/v1/x'])(
    '%s is not an image',
    async (source) => expect(bodyOf(`<img src="${source}">`)).toBe('<img alt="image">'),
  );

  test('images that repeat are embedded up to 8 MiB', () => {
    const large = new Map([['a', { contentType: 'image/png', base64: 'A'.repeat(1024 * 1024) }]]);
    const page = readableHtml('<img src=cid:a>'.repeat(10_000), large);
    expect(page.length).toBeLessThan(9 * 1024 * 1024);
  });
});

test('100,000 nested elements neither overflow the stack nor the page', () => {
  const page = pageOf('<div><font size=1>'.repeat(100_000));
  expect(page.match(/<div>/g)?.length).toBeLessThanOrEqual(200);
});

test('a long text keeps its characters, wherever its steps begin', () => {
  const text = `x${'\u{1F600}'.repeat(40_000)}`;
  expect(bodyOf(text)).toBe(text);
});

test('of a hundred thousand tags, the first are shown', () => {
  const body = bodyOf('<br>'.repeat(200_000));
  expect(body).toMatch(/^(<br>){50000}$/);
});
