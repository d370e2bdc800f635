/** A curl command that sends a payload with its signature. */
import type { SignedWebhook } from '../../../../core/api/api-types.generated.ts';

/** For an address without a URL. */
const PLACEHOLDER = 'https://example.com/hooks/mail';

/** A longer payload is read from a file: shells limit the length of an argument. */
const INLINE_MAX_CHARS = 32 * 1024;

export function curlCommand(
  { webhook_url: url, headers }: SignedWebhook,
  payload: string,
): { text: string; readsFile: boolean } {
  const readsFile = payload.length > INLINE_MAX_CHARS;
  const lines = [
    `curl -X POST ${quoted(url ?? PLACEHOLDER)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-binary ${readsFile ? '@payload.json' : quoted(payload)}`,
  ];
  return { text: lines.join(' \\\n  '), readsFile };
}

/** A shell changes nothing within single quotes. A single quote itself is written outside of them. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
