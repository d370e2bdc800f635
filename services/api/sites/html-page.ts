/**
 * What the HTML pages of the API share: one inline style sheet, its policy, and escaping. No page
 * has a script.
 */
import { createHash } from 'node:crypto';
import type { ParameterizedContext } from 'koa';

import { etagOf, isNotModified } from '../http/output/etag.ts';
import type { ApiState } from '../http/state.ts';

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.6 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3, h4 { line-height: 1.25; scroll-margin-top: 1rem; } h1 { font-size: 1.9rem; }
h2 { margin-top: 2.5rem; } h3 { margin-top: 2rem; }
code, pre { font-family: ui-monospace, monospace; font-size: .92em; background: var(--soft); }
code { padding: 0 .2em; overflow-wrap: anywhere; } pre { padding: .8rem 1rem; overflow-x: auto; border-radius: .3rem; }
pre code { padding: 0; background: none; overflow-wrap: normal; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; display: block; overflow-x: auto; }
th, td { border-top: 1px solid var(--line); padding: .3rem .8rem .3rem 0; vertical-align: top; text-align: left; }
blockquote { margin-left: 0; padding-left: 1rem; border-left: 3px solid var(--line); }
img { max-width: 100%; background: #fff; } hr { border: 0; border-top: 1px solid var(--line); }
.anchor { text-decoration: none; opacity: .4; font-weight: 400; } .anchor:hover, .anchor:focus { opacity: 1; }
.path { font-size: .9rem; } .contents { font-size: .9rem; columns: 18rem; }
.operations a { display: block; font: .9rem/1.7 ui-monospace, monospace; text-decoration: none; }
.operation { border-top: 1px solid var(--line); }
.operation h3 { margin: 2.5rem 0 .5rem; font: 600 1rem ui-monospace, monospace; }
.operation h3 b { display: inline-block; min-width: 4.5rem; } .operation h4 { margin: 1rem 0 .25rem; font-size: .9rem; }
.fields { display: table; } .fields td:nth-child(1) { width: 32%; } .fields td:nth-child(2) { width: 22%; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

const PAGE_POLICY =
  `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src 'self'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export type Asset = { type: string; body: string | Buffer; etag: string };

/** A whole document. @param main trusted HTML @param head more of it, for the head */
export const htmlPage = (title: string, main: string, head = ''): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>${head}<style>${STYLE}</style></head>
<body>
${main}
</body></html>
`;

export const htmlAsset = (html: string): Asset => ({
  type: 'text/html; charset=utf-8',
  body: html,
  etag: etagOf(html),
});

/**
 * Responds with an asset, or with 304 when the client has it. Browsers store it, but revalidate it
 * each time.
 */
export function respondWithAsset(
  ctx: ParameterizedContext<ApiState>,
  { type, body, etag }: Asset,
  policy: string = PAGE_POLICY,
): void {
  ctx.set('Content-Type', type);
  ctx.set('Content-Security-Policy', policy);
  ctx.set('Cache-Control', 'no-cache');
  if (!isNotModified(ctx, etag)) ctx.body = body;
}

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
