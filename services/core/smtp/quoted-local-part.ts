/**
 * Paths with a quoted local part (RFC 5321 §4.1.2). smtp-server splits a path at spaces, brackets
 * and `@` even within quotes, so it gets placeholders instead of them.
 */

type ParseAddressCommand<Parsed> = (name: string, command: string) => Parsed | false;

/** In Unicode's private use area, which no address uses. */
const FIRST_PLACEHOLDER = 0xe000;
const PLACEHOLDERS = /[\ue020\ue03c\ue03e\ue040]/g;
const QUOTED = /(?<=<(?:@[^"<>]*:)?)"(?:[^"\\]|\\.)*"(?=@)/; // after a source route, if any

const escaped = (command: string) =>
  command.replace(QUOTED, (quoted) =>
    quoted.replace(/[ <>@]/g, (char) =>
      String.fromCharCode(FIRST_PLACEHOLDER + char.charCodeAt(0)),
    ),
  );
const restored = (text: string) =>
  text.replace(PLACEHOLDERS, (char) => String.fromCharCode(char.charCodeAt(0) - FIRST_PLACEHOLDER));

/** Makes smtp-server's parser of MAIL and RCPT support quotes. */
export function withQuotedLocalParts<Parsed extends { address: string }>(
  parse: ParseAddressCommand<Parsed>,
): ParseAddressCommand<Parsed> {
  return function parseWithQuotes(name, command) {
    // the client sent placeholders itself
    if (restored(command) !== command) return parse(name, command);
    const parsed = parse(name, escaped(command));
    return parsed && { ...parsed, address: restored(parsed.address) };
  };
}
