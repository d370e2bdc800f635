/**
 * Drops comments from address fields, where they may stand between any two words, even within an
 * address (RFC 5322 §3.2.2, A.5). A comment after a bare address is its name, as was usual before
 * RFC 822.
 */
type Comment = { start: number; end: number };

/** A bracket without a partner is dropped, too: to mailparser, all that follows would be a comment. */
export function withoutComments(value: string): string {
  if (!value.includes('(')) return value;
  const comments = new Map(commentsOf(value).map(({ start, end }) => [start, end]));
  let plain = '';
  let isQuoted = false;
  let isInAngle = false;
  let mailbox = { hasText: false, hasAngle: false, name: '' };
  const endMailbox = (separator: string) => {
    if (mailbox.hasText && !mailbox.hasAngle && mailbox.name !== '' && separator !== ':')
      plain += ` (${mailbox.name})`;
    mailbox = { hasText: false, hasAngle: false, name: '' };
  };
  for (let at = 0; at < value.length; at++) {
    const char = value[at] as string;
    const commentEnd = comments.get(at);
    if (commentEnd !== undefined) {
      if (!isInAngle && commentEnd > at) mailbox.name = nameIn(value.slice(at + 1, commentEnd));
      at = commentEnd;
    } else if (char === '\\' && isQuoted) plain += char + (value[++at] ?? '');
    else {
      if (char === '"') isQuoted = !isQuoted;
      else if (!isQuoted && char === '<') isInAngle = mailbox.hasAngle = true;
      else if (!isQuoted && char === '>') isInAngle = false;
      else if (!isQuoted && !isInAngle && /[,;:]/.test(char)) endMailbox(char);
      else if (!/\s/.test(char)) Object.assign(mailbox, { hasText: true, name: '' });
      plain += char;
    }
  }
  endMailbox('');
  return plain;
}

/** The outermost comments, in their order. An open bracket ends where it begins. */
function commentsOf(value: string): Comment[] {
  const open: number[] = [];
  const pairs: Comment[] = [];
  let isQuoted = false;
  for (let at = 0; at < value.length; at++) {
    const char = value[at];
    if (char === '\\') at++;
    else if (char === '"' && open.length === 0) isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (char === '(') open.push(at);
    else if (char === ')') {
      const start = open.pop();
      if (start !== undefined) pairs.push({ start, end: at });
    }
  }
  let end = -1;
  return [...pairs, ...open.map((at) => ({ start: at, end: at }))]
    .toSorted((one, other) => one.start - other.start)
    .filter((pair) => {
      if (pair.start < end) return false;
      end = pair.end;
      return true;
    });
}

const nameIn = (comment: string): string => comment.replace(/\\(.)|[()]/gs, '$1').trim();
