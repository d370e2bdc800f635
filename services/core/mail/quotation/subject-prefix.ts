/** What mail programs write before the subject of a forwarded email. */
export const FORWARD_SUBJECT =
  /^\s*(fwd?|wg|tr|rv|enc|vb|vl|pd|doorst|i|i̇?lt|İLT|redir|пер|továbbítás|πρθ|הועבר|转发|轉寄|전달|転送)\s*(?:\.\s*)?[:：]/iu;
