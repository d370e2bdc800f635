/**
 * Paths whose local part is quoted (RFC 5321 §4.1.2). smtp-server cuts a path at spaces, brackets and `@` within the quotes too, and what is left is bad
 * syntax to it: so it is shown stand-ins for them.
 */

type ParseAddressCommand<Parsed> = (name: string, command: string) => Parsed | false;

/** Private use in Unicode: addresses have none. */
const FIRST_STAND_IN = 0xe000;
const STAND_INS = /[\ue020\ue03c\ue03e\ue040]/g;
const QUOTED = /(?<=<(?:@[^"<>]*:)?)"(?:[^"\\]|\\.)*"(?=@)/; // a source route may come before it

const veiled = (command: string) =>
  command.replace(QUOTED, (quoted) =>
    quoted.replace(/[ <>@]/g, (char) => String.fromCharCode(FIRST_STAND_IN + char.charCodeAt(0))),
  );
const unveiled = (text: string) =>
  text.replace(STAND_INS, (char) => String.fromCharCode(char.charCodeAt(0) - FIRST_STAND_IN));

/** The parser of MAIL and RCPT, which then knows quotes. */
export function withQuotedLocalParts<Parsed extends { address: string }>(
  parse: ParseAddressCommand<Parsed>,
): ParseAddressCommand<Parsed> {
  return function parseWithQuotes(name, command) {
    if (unveiled(command) !== command) return parse(name, command); // a client's own stand-ins stand for nothing
    const parsed = parse(name, veiled(command));
    return parsed && { ...parsed, address: unveiled(parsed.address) };
  };
}
