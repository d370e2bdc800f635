/**
 * The docs for programs that read Markdown, such as language models: each page as its source beside its
 * HTML, and a list of all pages (https://llmstxt.org).
 */
import { type Asset, assetOf } from './asset.ts';
import type { RenderedPage } from './markdown.ts';

export const LLMS_TXT = 'llms.txt';

const DESCRIPTION_MAX_CHARS = 200;

const textAsset = (type: string, body: string): Asset => assetOf(`${type}; charset=utf-8`, body);

/** @param sources Markdown by name, such as `runbooks/InletMailDeferred` */
export function docsForPrograms(
  sources: ReadonlyMap<string, string>,
  pages: ReadonlyMap<string, Pick<RenderedPage, 'title'>>,
): Map<string, Asset> {
  const files = new Map<string, Asset>();
  for (const [name, source] of sources) files.set(`${name}.md`, textAsset('text/markdown', source));
  const lines = [...sources]
    .filter(([name]) => name !== 'README')
    .map(([name, source]) => {
      const said = firstParagraph(source);
      const title = pages.get(name)?.title ?? name;
      return { name, line: `- [${title}](${encodeURI(name)}.md)${said && `: ${said}`}` };
    });
  const listed = (isOptional: boolean) =>
    lines
      .filter(({ name }) => name.startsWith('runbooks/') === isOptional)
      .map(({ line }) => line)
      .join('\n');
  files.set(
    LLMS_TXT,
    textAsset(
      'text/plain',
      `# Inlet\n\n> Inlet turns inbound email into signed webhooks on Kubernetes.\n\n` +
        `## API\n\n- [OpenAPI document](/v1/openapi.json): every call and webhook, with examples\n` +
        `- [JSON Schema of the payload](/v1/payload.schema.json): an email in a webhook\n\n` +
        `## Documentation\n\n${listed(false)}\n\n## Optional\n\n${listed(true)}\n`,
    ),
  );
  return files;
}

/** As plain text, possibly cut; empty when the page has none. */
function firstParagraph(markdown: string): string {
  const paragraph = markdown
    .split(/\n{2,}/)
    .find((block) => !/^\s*([#|>`<-]|\d+\.|!\[)/.test(block) && block.trim() !== '');
  const text = (paragraph ?? '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[*`]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (text.length <= DESCRIPTION_MAX_CHARS) return text.replace(/:$/, '.');
  return `${text.slice(0, DESCRIPTION_MAX_CHARS).replace(/\s+\S*$/, '')} …`;
}
