/** Text that a person does not see, and all that only looks like it. */
import { describe, expect, test } from 'vitest';

import { extract } from '../../../services/core/extract/extract.ts';

type Mail = { html?: string; text?: string; subject?: string };
const hiddenIn = ({ html, text, subject }: Mail) =>
  extract(new Set(['hidden_text']), {
    headers: { subject: subject ?? null, all: [] },
    text: text ?? null,
    html: html ?? null,
  })?.hidden_text;

const tagged = (text: string): string =>
  Array.from(text, (sign) => String.fromCodePoint(0xe0000 + sign.charCodeAt(0))).join('');

describe('hidden', () => {
  test.each([
    ['not_displayed', '<div style="display:none">spy</div>'],
    ['not_displayed', '<div style="DISPLAY : None !important"><p style="display:block">spy</div>'],
    ['not_displayed', '<p style="display:none !important; display:block">spy</p>'],
    ['not_displayed', '<span hidden>spy</span>'],
    ['not_displayed', '<p style="visibility:hidden">spy</p>'],
    ['not_displayed', '<style>.a, p.b { display: none }</style><p class="x b">spy</p>'],
    [
      'not_displayed',
      '<style>/* } */ @media print {.c{color:red}} #d{display:none}</style><i id=d>spy',
    ],
    ['zero_size', '<span style="font-size:0">spy</span>'],
    ['zero_size', '<span style="font-size:1px">spy</span>'],
    ['zero_size', '<span style="font:0/0 a">spy</span>'],
    ['zero_size', '<div style="max-height:0;overflow:hidden">spy</div>'],
    ['zero_size', '<div style="position:absolute;width:1px;height:1px;overflow:hidden">spy</div>'],
    ['zero_size', '<div style="clip-path: inset(50%)">spy</div>'],
    ['same_color', '<font color=white>spy</font>'],
    ['same_color', '<p style="color:#fefefe">spy</p>'],
    ['same_color', '<td bgcolor="#336699"><span style="color:rgb(51, 102, 153)">spy</span></td>'],
    ['same_color', '<body style="background:black"><p>spy</p></body>'],
    ['same_color', '<td style="background:rgb(34, 34, 34) none;color:#222">spy</td>'],
    ['transparent', '<p style="opacity:0">spy</p>'],
    ['transparent', '<p style="color:transparent">spy</p>'],
    ['transparent', '<p style="color:rgba(0,0,0,0)">spy</p>'],
    ['off_screen', '<p style="position:absolute;left:-9999px">spy</p>'],
    ['off_screen', '<p style="text-indent:-9999px">spy</p>'],
    ['not_displayed', '<p style="display:none !important;display:block">spy</p>'],
    ['not_displayed', '<style>p{display:none ! important}</style><p style="display:block">spy</p>'],
    ['not_displayed', '<p style="d\\69splay:none">spy</p>'],
    ['not_displayed', '<p style="display:n\\6fne">spy</p>'],
    ['not_displayed', '<p style="content-visibility:hidden">spy</p>'],
    ['not_displayed', '<style>[data-x]{display:none}</style><p data-x>spy</p>'],
    ['not_displayed', '<style>p[class^="sp"]{display:none}</style><p class="spam x">spy</p>'],
    [
      'not_displayed',
      '<style>.a .b{display:none}</style><div class=a><i><p class=b>spy</p></i></div>',
    ],
    ['not_displayed', '<style>.a > .b{display:none}</style><div class=a><p class=b>spy</p></div>'],
    ['not_displayed', '<style>.a.b{display:none}</style><p class="b a">spy</p>'],
    ['not_displayed', '<style>#x{display:none}.y{display:block}</style><p class=y id=x>spy</p>'],
    ['zero_size', '<p style="font-size:.01em">spy</p>'],
    ['zero_size', '<div style="font-size:10%"><p style="font-size:0.2em">spy</p></div>'],
    ['zero_size', '<p style="transform:scale(0.001)">spy</p>'],
    ['zero_size', '<p style="transform:translate(3px) scaleX(0)">spy</p>'],
    ['zero_size', '<p style="transform:matrix(0,0,0,0,0,0)">spy</p>'],
    ['zero_size', '<p style="transform:rotateY(90deg)">spy</p>'],
    ['zero_size', '<p style="position:absolute;clip:rect(0,0,0,0)">spy</p>'],
    ['zero_size', '<p style="position:absolute;clip:rect(1px 1px 1px 1px)">spy</p>'],
    ['zero_size', '<p style="clip-path:inset(0 100% 0 0)">spy</p>'],
    ['zero_size', '<p style="clip-path:polygon(0 0, 0 0, 0 0)">spy</p>'],
    ['same_color', '<p style="color:hsl(0, 0%, 100%)">spy</p>'],
    [
      'same_color',
      '<td style="background:hsl(210deg 50% 40%)"><b style="color:#336699">spy</b></td>',
    ],
    ['same_color', '<p style="-webkit-text-fill-color:white">spy</p>'],
    ['transparent', '<p style="filter:opacity(0)">spy</p>'],
    ['transparent', '<p style="opacity:1%">spy</p>'],
    ['transparent', '<p style="color:hsla(0,0%,0%,0)">spy</p>'],
    ['off_screen', '<p style="transform:translateX(-9999px)">spy</p>'],
    ['off_screen', '<p style="transform:translate(-100vw, 0)">spy</p>'],
    ['off_screen', '<p style="position:absolute;left:9999px">spy</p>'],
    ['off_screen', '<p style="position:absolute;top:-100em">spy</p>'],
  ])('%s: %s', (reason, html) => {
    expect(hiddenIn({ html: `<p>Hello</p>${html}` })).toEqual({
      sample: 'spy',
      chars: 3,
      reasons: [reason],
    });
  });

  test.each([
    ['the text', { text: `Hello${tagged('spy')}` }],
    ['the subject', { subject: `Hello${tagged('spy')}` }],
    ['the HTML', { html: `<p>Hello${tagged('spy')}</p>` }],
  ])('tag characters in %s', (_, mail) => {
    expect(hiddenIn(mail)).toEqual({ sample: 'spy', chars: 3, reasons: ['invisible_characters'] });
  });

  test('bytes in variation selectors', () => {
    const selectors = Array.from('attack', (sign) =>
      String.fromCodePoint(0xe0100 + sign.charCodeAt(0) - 16),
    );
    expect(hiddenIn({ text: `😀${selectors.join('')}` })?.sample).toBe('attack');
  });

  test('the sample is bounded, the count is not', () => {
    const { sample, chars } = hiddenIn({ html: `<p hidden>${'ab '.repeat(1_000)}</p>` }) ?? {};
    expect([sample?.length, chars]).toEqual([500, 2_999]);
  });
});

test.each([
  ['plain text', '<p>Hello</p>'],
  ['a rule for others', '<style>.a .b{display:none}</style><p class=b>a</p>'],
  ['a rule for other attributes', '<style>a[href="x"]{display:none}</style><a href="y">a</a>'],
  ['a state', '<style>p:hover{display:none}</style><p>a</p>'],
  ['a sibling', '<style>b + p{display:none}</style><b>b</b><p>a</p>'],
  ['a more specific rule', '<style>#x{display:block}p{display:none}</style><p id=x>a</p>'],
  ['a later rule', '<style>p{display:none}p{display:block}</style><p>a</p>'],
  ['an important rule', '<style>p{display:block !important}</style><p style="display:none">a</p>'],
  ['a small shift', '<p style="transform:translateX(-50%) scale(.8)">a</p>'],
  ['a rotation', '<p style="transform:rotate(90deg)">a</p>'],
  ['a part of a box', '<p style="clip-path:inset(10% 20%)">a</p>'],
  ['a part by clip', '<p style="clip:rect(0, auto, auto, 0)">a</p>'],
  ['hsl on another color', '<p style="color:hsl(0, 100%, 50%)">a</p>'],
  ['an opacity of 100%', '<p style="opacity:100%">a</p>'],
  ['half an em', '<p style="font-size:.5em">a</p>'],
  [
    'white text on a dark cell',
    '<td style="background-color:#222"><span style="color:#fff">a</span>',
  ],
  ['white text on an image', '<td background="x.png"><font color="white">a</font>'],
  ['white text on a gradient', '<p style="background:linear-gradient(red,blue);color:#fff">a</p>'],
  ['a cell without a size of its own', '<td style="font-size:0"><p style="font-size:14px">a</p>'],
  [
    'a font in a cell without a size',
    '<td style="font-size:0"><p style="font:700 14px Arial">a</p>',
  ],
  ['a size by name', '<td style="font-size:0"><p style="font:small Arial">a</p>'],
  [
    'a background in place of that of a rule',
    '<style>.b{background-color:#fff}</style><p class="b" style="background:#036;color:#fff">a</p>',
  ],
  ['a visible child', '<p style="visibility:hidden"><b style="visibility:visible">a</b></p>'],
  [
    'what only phones hide',
    '<style>@media (max-width:600px){.m{display:none}}</style><p class=m>a',
  ],
  [
    'colors that are not understood',
    '<p style="color:var(--page);background:hsl(0,0%,100%)">a</p>',
  ],
  ['spaces that shorten the preview', '<div style="display:none">&nbsp;&zwnj;&#847; \u200b</div>'],
  ['scripts and titles', '<title>a</title><script>b</script><style>p{color:red}</style>'],
  ['a box of full height', '<div style="overflow:hidden;max-height:600px">a</div>'],
  ['an emoji with a variation', '<p>❤️ and 葛󠄀</p>'],
  [
    'the flag of Scotland',
    '<p>\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}</p>',
  ],
])('visible: %s', (_, html) => {
  expect(hiddenIn({ html })).toBeNull();
});
