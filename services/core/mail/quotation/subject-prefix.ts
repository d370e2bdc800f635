/** What mail programs write before the subject of a forwarded email. */
const WORDS =
  'fwd?|wg|tr|rv|enc|vb|vl|pd|doorst|videresendt?|i|i̇?lt|İLT|redir|пер|továbbítás|πρθ|הועבר|转发|轉寄|전달|転送';
export const FORWARD_SUBJECT = new RegExp(String.raw`^\s*(?:${WORDS})\s*(?:\.\s*)?[:：]`, 'iu');
