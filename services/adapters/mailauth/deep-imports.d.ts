/** Declarations missing from mailauth 7.1's own types. See library.ts. */
declare module 'mailauth/lib/dmarc/index.js' {
  export function evaluateDmarc(options: {
    headerFrom: string[];
    fromFields: number;
    spfDomains: string[];
    dkimDomains: { domain: string; underSized: number | undefined }[];
    arcResult: import('mailauth').ARCResult;
    resolver: import('mailauth').DNSResolver;
  }): Promise<{
    response: import('mailauth').DMARCResult | false;
    /** Why there is no response. */
    reason?: string;
    /** Signers that are aligned, as formatDomain writes them. */
    dkimAligned?: Set<string>;
  }>;
}

declare module 'mailauth/lib/arc/index.js' {
  export const arc: typeof import('mailauth').arc;
}

declare module 'mailauth/lib/dkim/verify.js' {
  export const dkimVerify: typeof import('mailauth').dkimVerify;
}

declare module 'mailauth/lib/spf/index.js' {
  export const spf: typeof import('mailauth').spf;
}

declare module 'mailauth/lib/tools.js' {
  export function toALabel(domain: string): string;
  export function formatDomain(domain: string): string;
  /** Rejects with `code`, and `rr` when there is a record, when the key cannot be used. */
  export function getPublicKey(
    type: string,
    name: string,
    minBits: number,
    resolver: import('mailauth').DNSResolver,
    options: { hashAlgo: string },
  ): Promise<object>;
  export const KEY_ERROR_COMMENTS: ReadonlyMap<string, string>;
  export function parseHeaders(head: Buffer): { parsed: { key: string; line: Buffer }[] };
}

declare module 'mailauth/lib/parse-dkim-headers.js' {
  function parseDkimHeaders(line: Buffer): {
    parsed: Record<string, { value?: unknown } | undefined>;
  };
  export = parseDkimHeaders;
}

declare module 'mailauth/lib/dkim/dkim-verifier.js' {
  type Verifier = {
    /** Mailboxes of all From fields, after `messageHeaders`. */
    headerFrom: string[];
    fromFields: number;
    messageHeaders(headers: { parsed: { key: string; line: Buffer }[] }): Promise<void>;
  };
  export const DkimVerifier: new (options: object) => Verifier;
}
