// Addresses in a header, such as "Ann" <ann@example.org>, bob@example.org

/** @returns {{ name: string, email: string }[]} */
export function addressesIn(header) {
  const parts = (header ?? '').match(/(?:"(?:[^"\\]|\\.)*"|[^",])+/g) ?? [];
  return parts.map((part) => {
    const [, name = '', email = part] = /^\s*(.*?)\s*<([^<>]*)>\s*$/s.exec(part) ?? [];
    return { name: name.replace(/^"(.*)"$/s, '$1').replace(/\\(.)/g, '$1'), email: email.trim() };
  });
}

/** The header lines of the sender, without the Return-Path and Received that Inlet added. */
export const headersOf = (email) =>
  email.headers.all.filter(({ name }, i) => !(i < 2 && /^(return-path|received)$/i.test(name)));
