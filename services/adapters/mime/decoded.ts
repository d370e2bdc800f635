/** What a transfer encoding yields (RFC 2045 §6). */
export type Decoded = {
  content: Buffer;
  /** Plain text around the encoded data. */
  extra?: Buffer;
  /** The bytes are not what the encoding allows. */
  isDamaged?: boolean;
  /** Only uuencode has one. */
  filename?: string;
};
